import { HEADER_PAYMENT } from "../header.ts";
import { createMemoryStore } from "../memory-store.ts";
import { guardBudgetStore } from "./budget-store.ts";
import type { Buy } from "./buy.ts";
import { createChainTime } from "./chain.ts";
import { createSpending, type Spent } from "./day-book.ts";
import { readRequest, send } from "./logical-request.ts";
import { type PayingFetchOptions, readOptions } from "./options.ts";
import { createSigner } from "./signer.ts";

/** A `fetch` that pays, and reports what it has spent. */
export type PayingFetch = typeof fetch & {
  /** @throws PaymentError `budget_unavailable`; with a store in the budget also `chain_unavailable` */
  spent(): Promise<Spent>;
};

/**
 * Creates a `fetch` that pays: on a 402 answer it signs a transfer and asks again. None is signed while an
 * earlier payment for the same request may still reach the chain: that one is sent again. Where it is refused because the
 * price has changed, the call waits until two nodes say that it never will (two minutes), and pays the new price once.
 * The returned function rejects with PaymentError when it will not pay.
 * @throws TypeError or RangeError for options that make no sense.
 * @example const pay = createPayingFetch({ account: "alice", activeKey: "5J...", maxPayment: "0.100 HBD" });
 * const article = await pay("https://shop.example/article");
 */
export function createPayingFetch(options: PayingFetchOptions): PayingFetch {
  const read = readOptions(options);
  const { chain, rules, budget, fetcher } = read;
  const { account } = rules;
  const sign = createSigner(account, options, chain.chainId);
  const chainTime = createChainTime(chain.nodes);
  const store = budget.store ? guardBudgetStore(budget.store) : createMemoryStore();
  // Amounts counted across restarts need a clock that continues meanwhile: the one by which the payments themselves
  // expire.
  const spending = createSpending(budget, store, account, budget.store && chainTime.now);
  let loading: Promise<Buy> | null = null;
  const loadBuyer = async (): Promise<Buy> => {
    const { createBuyer } = await import("./buy.ts");
    return createBuyer({ ...read, sign, chainTime, store, spending });
  };

  const payingFetch: typeof fetch = async (input, init) => {
    const request = await readRequest(input, init);
    const first = await send(fetcher, request, request.url);
    // The answer to a HEAD contains nothing to buy.
    if (first.status !== 402 || request.method === "HEAD" || request.headers.has(HEADER_PAYMENT))
      return first;
    loading ??= loadBuyer().catch((error: unknown) => {
      // Nothing was paid, and the next call tries again.
      loading = null;
      throw error;
    });
    return (await loading)(request, first);
  };
  return Object.assign(payingFetch, { spent: () => spending.spent() });
}
