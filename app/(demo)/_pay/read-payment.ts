import { NO_MILS, parseMils } from "../../../lib/mils.ts";
import { decodeHeader } from "./flow.ts";

type Payment = {
  payload: {
    signedTransaction: {
      ref_block_num: number;
      operations: [["transfer", { from: string; to: string; amount: string }]];
      signatures: [string, ...string[]];
    };
  };
};

/**
 * Reads a payment's header: its transfer, the last digits of the block number that it refers to, and its signature.
 * @throws TypeError if it is no payment
 */
export function readPayment(header: string) {
  const payment = decodeHeader<Payment>(header);
  if (!payment) throw new TypeError("the payment can't be read");
  const { ref_block_num: refBlockNum, operations, signatures } = payment.payload.signedTransaction;
  const [[, { from, to, amount }]] = operations;
  const [signature] = signatures;
  return { from, to, amount, mils: parseMils(amount) ?? NO_MILS, refBlockNum, signature };
}
