import { createPayingFetch, PaymentError } from "hivegate/client";

const gateway = "http://127.0.0.1:3000";
const address = process.argv[2] ?? `${gateway}/api/demo/articles/three-seconds-and-no-fee`;

type Sandbox = {
  accounts: Array<{ name: string; keys: { active: string } }>;
  chain: { url: string };
};
const sandbox = (await (await fetch(`${gateway}/api/sandbox`)).json()) as Sandbox;
const alice = sandbox.accounts.find(({ name }) => name === "alice");
if (!alice) throw new Error("The sandbox has no alice.");

const payingFetch = createPayingFetch({
  account: alice.name,
  activeKey: alice.keys.active,
  network: "chain:sandbox",
  nodes: [sandbox.chain.url],
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
  console.log(`Not paid: ${error.code}. ${error.message}`);
}
