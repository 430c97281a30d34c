import { ConfigError } from "../../lib/config.ts";
import type { SandboxAccount, SandboxCommunity } from "../accounts.ts";
import type { SandboxPost } from "../posts.ts";
import { ChainFault } from "./errors.ts";
import { applyTransaction, examineTransaction, verifyAuthority } from "./ledger/examine.ts";
import { blockPrefix, genesisHeader, nextHeader, referredBlock, undoOf } from "./state/blocks.ts";
import { createGenesis } from "./state/genesis.ts";
import { type BlockHeader, type ChainStore, createChainStore } from "./state/store.ts";
import type {
  AcceptedTransaction,
  Account,
  Community,
  PooledTransaction,
  SignedTransaction,
  State,
  Symbols,
} from "./types.ts";

const POOL_SECONDS = 3600;

export type ChainOptions = {
  dataDir: string;
  chainId: string;
  symbols: Symbols;
  clock: Clock;
  seed: ChainSeed;
};

export type ChainSeed = {
  accounts: readonly SandboxAccount[];
  communities: readonly SandboxCommunity[];
  posts?: readonly SandboxPost[];
};

/** One chain: its state, its pool of pending transactions, and its blocks. Nodes are views of it. */
export type Chain = Pick<ChainOptions, "chainId" | "symbols" | "clock"> & {
  readonly history: Pick<ChainStore, "loadBlock" | "findTransaction" | "loadHistory">;
  /** Returns the state including pending transactions, as account reads show it. */
  pending(): State;
  /** Returns the state of the head block, as the community index shows it. */
  confirmed(): State;
  head(): BlockHeader;
  lastIrreversible(): number;
  isInPool(id: string): boolean;
  /** Adds a transaction to the pool. @throws ChainFault */
  push(transaction: SignedTransaction): Promise<AcceptedTransaction>;
  produce(): Promise<void>;
  /** Resolves at the next block, or when the chain closes. */
  nextBlock(): Promise<void>;
  /**
   * Drops the last blocks. Their transactions return to the pool or are lost. @throws RangeError beyond
   * irreversibility
   */
  fork(options: { blocks: number; losesTransactions: boolean }): Promise<void>;
  /** Sets the number of blocks between the irreversible block and the head. */
  setLag(blocks: number): void;
  /** While on, new blocks include no transactions. */
  holdTransactions(isOn: boolean): void;
  putAccount(account: Account): Promise<void>;
  putCommunity(community: Community): Promise<void>;
  /**
   * Returns the posts of the community index. Transactions do not change them, so they are reset at each
   * start.
   */
  posts(): readonly SandboxPost[];
  /** Adds a post, or replaces it. */
  putPost(post: SandboxPost): void;
  close(): Promise<void>;
};

/**
 * Opens the chain in `dataDir`, or creates it from the seed. @throws ConfigError if the file holds a chain
 * with another id
 */
export function createChain({ dataDir, chainId, symbols, clock, seed }: ChainOptions): Chain {
  const store = createChainStore({ dataDir, symbols });
  const exclusive = createQueue();
  const meta = store.loadMeta() ?? begin(store, chainId, createGenesis(seed, clock.now()));
  if (meta.chainId !== chainId) {
    store.close();
    const problem = `${dataDir} holds a chain with another chain id: name that one, or another DATA_DIR`;
    throw new ConfigError([{ setting: "HIVE_CHAIN_ID", problem }]);
  }

  let confirmed = store.loadState();
  let pending = confirmed;
  let pool: PooledTransaction[] = [];
  let head = store.loadHead() ?? genesisHeader(clock.now());
  let { irreversible } = meta;
  let lag = 1;
  let isHolding = false;
  let waiting: Array<() => void> = [];
  let posts = seed.posts ?? [];
  let isClosed = false;

  const isInPool = (id: string) => pool.some((entry) => entry.id === id);

  const isKnown = (id: string) => {
    if (isInPool(id)) return true;
    const included = store.findTransaction(id);
    return included !== null && included.transaction.expiration >= head.time;
  };

  const prefixOf = (refBlockNum: number) => {
    const id = store.loadBlockId(referredBlock(refBlockNum, head.num));
    return id === null ? 0 : blockPrefix(id);
  };

  /** Replaces the pool by these transactions, applied to the confirmed state, and drops the invalid ones. */
  const refillPool = (entries: readonly PooledTransaction[]) => {
    pending = confirmed;
    pool = [];
    for (const entry of entries) {
      try {
        pending = applyTransaction(pending, entry, head.time);
        pool.push(entry);
      } catch (error) {
        if (!(error instanceof ChainFault)) throw error;
        store.removeFromPool(entry.id);
      }
    }
  };

  const tryApply = async (state: State, entry: PooledTransaction): Promise<State | null> => {
    try {
      await verifyAuthority(entry.transaction, entry.packing, { chainId, symbols, state });
      return applyTransaction(state, entry, head.time);
    } catch (error) {
      if (error instanceof ChainFault) return null;
      throw error;
    }
  };

  const produce = async () => {
    if (isClosed) return;
    const header = nextHeader(head, clock.now());
    const live = pool.filter(
      ({ transaction, dropAt }) => transaction.expiration >= header.time && dropAt >= header.time,
    );
    let after = confirmed;
    const included: PooledTransaction[] = [];
    for (const entry of isHolding ? [] : live) {
      const next = await tryApply(after, entry);
      if (next) included.push(entry);
      after = next ?? after;
    }
    const undo = undoOf(confirmed, after);
    const leaving = isHolding ? pool.filter((entry) => !live.includes(entry)) : pool;
    irreversible = Math.max(irreversible, header.num - lag);
    store.atomically(() => {
      store.appendBlock({ ...header, transactions: included }, undo);
      store.saveAccounts(undo.accounts.flatMap(([name]) => after.accounts.get(name) ?? []));
      store.saveCommunities(undo.communities.flatMap(([name]) => after.communities.get(name) ?? []));
      for (const { id } of leaving) store.removeFromPool(id);
      store.saveMeta({ chainId, irreversible });
    });
    confirmed = after;
    head = header;
    refillPool(isHolding ? live : []);
    wake();
  };

  const wake = () => {
    const woken = waiting;
    waiting = [];
    for (const resolve of woken) resolve();
  };

  const chain: Chain = {
    chainId,
    symbols,
    clock,
    history: store,
    pending: () => pending,
    confirmed: () => confirmed,
    head: () => head,
    lastIrreversible: () => irreversible,
    isInPool,
    push: (transaction) =>
      exclusive(async () => {
        const around = { chainId, symbols, now: head.time, state: pending, isKnown, blockPrefix: prefixOf };
        const accepted = await examineTransaction(transaction, around);
        const next = applyTransaction(pending, accepted, head.time);
        const entry = { ...accepted, dropAt: head.time + POOL_SECONDS };
        store.addToPool(entry);
        pool.push(entry);
        pending = next;
        return accepted;
      }),
    produce: () => exclusive(produce),
    nextBlock: () => new Promise((resolve) => (isClosed ? resolve() : waiting.push(resolve))),
    fork: ({ blocks, losesTransactions }) =>
      exclusive(async () => {
        if (head.num - blocks < irreversible) throw new RangeError("these blocks are irreversible");
        const freed: PooledTransaction[] = [];
        store.atomically(() => {
          for (let num = head.num; num > head.num - blocks; num--) {
            const transactions = store.loadBlock(num)?.transactions ?? [];
            const entries = transactions.map((one) => ({ ...one, dropAt: head.time + POOL_SECONDS }));
            freed.unshift(...entries);
            store.removeBlock(num);
          }
          for (const entry of losesTransactions ? [] : freed) store.addToPool(entry);
        });
        confirmed = store.loadState();
        head = store.loadHead() ?? genesisHeader(head.time);
        refillPool(losesTransactions ? pool : [...freed, ...pool]);
      }),
    setLag: (blocks) => {
      lag = blocks;
    },
    holdTransactions: (isOn) => {
      isHolding = isOn;
    },
    putAccount: (account) =>
      exclusive(async () => {
        store.saveAccounts([account]);
        confirmed = { ...confirmed, accounts: new Map(confirmed.accounts).set(account.name, account) };
        refillPool(pool);
      }),
    putCommunity: (community) =>
      exclusive(async () => {
        store.saveCommunities([community]);
        const communities = new Map(confirmed.communities).set(community.name, community);
        confirmed = { ...confirmed, communities };
        refillPool(pool);
      }),
    posts: () => posts,
    putPost: (post) => {
      const others = posts.filter(
        ({ author, permlink }) => author !== post.author || permlink !== post.permlink,
      );
      posts = [...others, post];
    },
    close: () =>
      exclusive(async () => {
        if (isClosed) return;
        isClosed = true;
        wake();
        store.close();
      }),
  };

  refillPool(store.loadPool());
  return chain;
}

function begin(store: ChainStore, chainId: string, genesis: State) {
  const fresh = { chainId, irreversible: 0 };
  store.atomically(() => {
    store.saveMeta(fresh);
    store.saveAccounts(genesis.accounts.values());
    store.saveCommunities(genesis.communities.values());
  });
  return fresh;
}

/** Chain time in seconds: the given clock plus the time added by tests, rounded down to a block time. */
type Clock = { now(): number; advance(seconds: number): void };

export function createClock({ now, gridSeconds }: { now: () => number; gridSeconds: number }): Clock {
  let offset = 0;
  return {
    now: () => Math.floor((now() / 1000 + offset) / gridSeconds) * gridSeconds,
    advance: (seconds) => {
      offset += seconds;
    },
  };
}

/** Creates a queue that runs tasks one after another. A failed task does not stop the next. */
function createQueue(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const run = last.then(task, task);
    last = run.catch(() => undefined);
    return run;
  };
}
