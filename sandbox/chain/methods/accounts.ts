import type { Operation } from "../../../lib/hive/transaction.ts";
import type { Chain } from "../chain.ts";
import { assertion, badType } from "../errors.ts";
import { readText } from "../parse/fields.ts";
import { type Form, renderAccount } from "../render/account.ts";
import { renderHistoryEntry } from "../render/block.ts";
import type { Context } from "./method.ts";

/** Returns the accounts with these names, in their order and with repetitions. Unknown names are left out. */
export function findAccounts({ chain }: Context, names: readonly string[], form: Form) {
  const { accounts } = chain.pending();
  const view = { form, symbols: chain.symbols, now: chain.head().time };
  return names.flatMap((name) => {
    const account = accounts.get(name);
    return account ? [renderAccount(account, view)] : [];
  });
}

/** Returns the names from `start` on, in alphabetical order. */
export function namesFrom({ chain }: Context, start: string, limit: number): string[] {
  const names = [...chain.pending().accounts.keys()].sort();
  return names.filter((name) => name >= start).slice(0, limit);
}

/** Returns, for each key, the accounts that have it in an authority. Memo keys do not count. */
export function keyReferences({ chain }: Context, keys: readonly string[]): string[][] {
  const accounts = [...chain.pending().accounts.values()];
  return keys.map((wanted) =>
    accounts
      .filter(({ owner, active, posting }) =>
        [owner, active, posting].some(({ key_auths }) => key_auths.some(([key]) => key === wanted)),
      )
      .map(({ name }) => name),
  );
}

const MAX_ENTRIES = 1000;
/** The most operations that a node looks at for one answer with a filter. */
const MAX_FILTERED = 2000;
const ALL = (1n << 64n) - 1n;

/** The chain's operation numbers, which filters use. */
const operationNumbers: Record<Operation["type"], bigint> = {
  transfer: 2n,
  account_create: 9n,
  account_update: 10n,
  custom_json: 18n,
  account_update2: 43n,
};

type HistoryQuery = {
  account: string;
  start: number;
  limit: number;
  /** One bit per operation number; null for operations of any kind. */
  filter: bigint | null;
  includesReversible: boolean;
};

/** Parses the range and the filter. A start of -1 means the newest. @throws ChainFault */
export function readHistoryQuery(given: {
  account: unknown;
  start: unknown;
  limit: unknown;
  filterLow: unknown;
  filterHigh: unknown;
  includesReversible?: boolean;
}): HistoryQuery {
  const start = readWhole(given.start, ALL);
  const limit = readWhole(given.limit, BigInt(MAX_ENTRIES));
  if (limit > BigInt(MAX_ENTRIES))
    throw assertion("args.limit <= 1000", "limit of <l> is greater than maximum allowed", {
      l: Number(limit),
    });
  if (start < limit - 1n)
    throw assertion(
      "args.start >= args.limit-1",
      "start must be greater than or equal to limit-1 (start is 0-based index)",
    );
  const isFiltered = given.filterLow !== undefined || given.filterHigh !== undefined;
  return {
    account: readText(given.account),
    start: start > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(start),
    limit: Number(limit),
    filter: isFiltered ? readWhole(given.filterLow, 0n) | (readWhole(given.filterHigh, 0n) << 64n) : null,
    includesReversible: given.includesReversible ?? false,
  };
}

/**
 * Returns the account's newest operations that match the filter, oldest first, each with its number: fewer than asked
 * for if they are not among the first ones that the node looks at. @throws ChainFault if none is
 */
export function accountHistory(chain: Chain, query: HistoryQuery, form: Form) {
  const { account, start, limit, filter, includesReversible } = query;
  const last = includesReversible ? chain.head().num : chain.lastIrreversible();
  const found: unknown[] = [];
  let looked = 0;
  for (const { seq, trxId, opNum } of chain.history.loadHistory(account, start, last)) {
    if (found.length >= limit) break;
    if (filter !== null && looked >= MAX_FILTERED) {
      if (found.length > 0) break;
      throw notFoundAmong(looked, seq);
    }
    looked++;
    const included = chain.history.findTransaction(trxId);
    const operation = included?.transaction.operations[opNum];
    if (!included || !operation) continue;
    if (filter !== null && !(filter & (1n << operationNumbers[operation.type]))) continue;
    found.unshift([seq, renderHistoryEntry(included, opNum, form, chain)]);
  }
  return found;
}

const notFoundAmong = (looked: number, next: number) =>
  assertion(
    `total_processed_items < ${MAX_FILTERED}`,
    "Could not find filtered operation in <total_processed_items> operations, to continue searching, set start=<sequence>.",
    { total_processed_items: looked, sequence: next },
  );

/** Reads an unsigned 64-bit number from a number or its digits. -1 means the largest. */
function readWhole(value: unknown, fallback: bigint): bigint {
  if (value === undefined) return fallback;
  const isWhole =
    typeof value === "bigint" ||
    (typeof value === "number" && Number.isInteger(value)) ||
    (typeof value === "string" && /^-?\d{1,20}$/.test(value));
  if (!isWhole) throw badType("Invalid cast from type to uint64");
  return BigInt.asUintN(64, BigInt(value));
}
