import { gateway } from "../_session/gateway.ts";

export type Payment = {
  txId: string;
  blockNum: number;
  time: string;
  from: string;
  to: string;
  amount: string;
  direction: "paid" | "earned";
};

export type History = { account: string; balance: string; payments: Payment[] };

/** An account's balance and its latest x402 payments, newest first. */
export function loadHistory(account: string, signal: AbortSignal): Promise<History> {
  return gateway.request<History>("/api/x402/payments", { query: { account }, signal });
}
