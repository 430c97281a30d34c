import { setTimeout as sleep } from "node:timers/promises";
import { signPayment } from "../../lib/x402/client/index.ts";
import { parsePaymentHeader } from "../../lib/x402/paywall/read-payment.ts";
import { offerOf, receiptOf } from "./ask-paid.ts";
import { wifOf } from "./start-shop.ts";

const RETRY_EVERY_MS = 50;
const PATIENCE_MS = 60_000;
const ATTEMPT_MS = 10_000;

/**
 * Repeats a request until the answer has one of these statuses: calls that die on the way or can't be served
 * yet are repeated.
 */
export async function askUntil(
  statuses: readonly number[],
  url: string,
  init: RequestInit = {},
): Promise<Response> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(ATTEMPT_MS) }).catch(() => null);
    if (response && statuses.includes(response.status)) return response;
    const text = await response?.text().catch(() => "");
    if (performance.now() > end) throw new Error(`${url} still answers ${response?.status}: ${text}`);
    await sleep(RETRY_EVERY_MS);
  }
}

export type Purchase = {
  /** The id of the transaction as the buyer signed it. */
  txId: string;
  /** Resolves once the content has arrived. */
  delivered: Promise<{ receiptTxId: string | undefined; text: string }>;
  /** Sends the payment once more, and returns the status. */
  again(): Promise<number>;
};

/** Signs a payment for an address's offer, and sends it until the content arrives. */
export async function buy(
  url: string,
  account: string,
  chain: { urls: readonly string[]; chainId: string },
  method = "GET",
): Promise<Purchase> {
  const requirements = await offerOf(await askUntil([402], url, { method }));
  const purse = { account, activeKey: wifOf(account), nodes: chain.urls, chainId: chain.chainId };
  const payment = await signPayment({ ...purse, requirements });
  const brought = parsePaymentHeader({ version: 1, text: payment }, [requirements.network]);
  if (typeof brought === "string") throw new Error(brought);
  const headers = { "x-payment": payment };
  const deliver = async () => {
    const response = await askUntil([200, 402], url, { method, headers });
    if (response.status !== 200) throw new Error(`paid, and refused: ${await response.text()}`);
    return { receiptTxId: receiptOf(response).txId, text: await response.text() };
  };
  return {
    txId: brought.id,
    delivered: deliver(),
    again: async () => (await askUntil([200, 402], url, { method, headers })).status,
  };
}
