import { createMemoryStore } from "../memory-store.ts";
import { guardBudgetStore } from "./budget-store.ts";
import type { Buyer } from "./buyer.ts";
import { createChainTime } from "./chain.ts";
import { createSpending, type Spent } from "./day-book.ts";
import { type PayerOptions, type PayerSettings, readOptions } from "./options.ts";
import { createSigner, type Signer } from "./signer.ts";

/**
 * Checks the options, and creates a buyer that pays within them. The code that pays is loaded on first
 * use. `fetcher` reads the keys of sellers that sign.
 */
export function openBuyer(
  options: PayerOptions,
  fetcher: typeof fetch = (input, init) => fetch(input, init),
): {
  load: () => Promise<Buyer>;
  spent: () => Promise<Spent>;
  settings: PayerSettings;
} {
  const read = readOptions(options);
  const { chain, rules, limits } = read;
  const { account } = rules;
  const sign = read.sendTransfer ? null : createSigner(account, options as Signer, chain.chainId);
  const chainTime = createChainTime(chain.nodes);
  const store = read.store ? guardBudgetStore(read.store) : createMemoryStore();
  // Amounts counted across restarts need a clock that keeps going in between: the chain's, by which the
  // payments expire too.
  const spending = createSpending(limits, store, account, read.store && chainTime.now);
  let loading: Promise<Buyer> | null = null;
  const load = async () => {
    loading ??= import("./buyer.ts")
      .then(({ createBuyer }) =>
        createBuyer({
          ...read,
          sign,
          chainTime,
          store,
          isShared: read.store !== undefined,
          spending,
          fetcher,
        }),
      )
      .catch((error: unknown) => {
        // Nothing has been paid, and the next call tries again.
        loading = null;
        throw error;
      });
    return loading;
  };
  return { load, spent: () => spending.spent(), settings: read };
}
