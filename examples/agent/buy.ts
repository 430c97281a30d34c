import { createPayingFetch, PaymentError } from "hivegate/client";
import { sandbox } from "hivegate/sandbox";

const address = process.argv[2] ?? "http://127.0.0.1:3000/api/demo/articles/three-seconds-and-no-fee";

const payingFetch = createPayingFetch({
  ...sandbox(),
  maxPayment: "0.100 HBD",
  budget: { perDay: "0.500 HBD" },
});

try {
  const response = await payingFetch(address);
  if (!response.ok) throw new Error(`The shop answered ${response.status}: ${await response.text()}`);
  const { payer, txId } = (await response.json()) as { payer: string; txId: string };
  console.log(`${response.status}, paid by ${payer} in transaction ${txId}`);
} catch (error) {
  if (!(error instanceof PaymentError)) throw error;
  console.log(`${error.code}: ${error.message}`);
}
