import type { Operation } from "../../../lib/hive/transaction.ts";
import { openDatabase } from "../../../lib/store/open-database.ts";
import { parseTransaction } from "../parse/transaction.ts";
import { renderTransaction } from "../render/transaction.ts";
import type {
  AcceptedTransaction,
  Account,
  Block,
  Community,
  PooledTransaction,
  State,
  Symbols,
} from "../types.ts";

const schema = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA busy_timeout = 5000;
  CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS accounts (name TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS communities (name TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS blocks (num INTEGER PRIMARY KEY, id TEXT NOT NULL, previous TEXT NOT NULL, time INTEGER NOT NULL, undo TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS transactions (id TEXT PRIMARY KEY, block_num INTEGER NOT NULL, trx_num INTEGER NOT NULL, body TEXT NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS transactions_by_block ON transactions (block_num, trx_num);
  CREATE TABLE IF NOT EXISTS account_history (account TEXT NOT NULL, seq INTEGER NOT NULL, block_num INTEGER NOT NULL, trx_id TEXT NOT NULL, op_num INTEGER NOT NULL, PRIMARY KEY (account, seq)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS account_history_by_block ON account_history (block_num);
  CREATE TABLE IF NOT EXISTS pool (id TEXT PRIMARY KEY, drop_at INTEGER NOT NULL, body TEXT NOT NULL);
`;

export type BlockHeader = Omit<Block, "transactions">;
/** The values before a block's changes; null for records that the block created. */
export type Undo = {
  accounts: Array<readonly [name: string, before: Account | null]>;
  communities: Array<readonly [name: string, before: Community | null]>;
};
export type Included = AcceptedTransaction & { blockNum: number; trxNum: number };

/** The `seq`th operation that concerns an account. */
export type HistoryEntry = { seq: number; trxId: string; opNum: number };

type Meta = { chainId: string; irreversible: number };
type Row = Record<string, string | number>;
export type ChainStore = ReturnType<typeof createChainStore>;

/**
 * Opens the store of the chain's state and history: one SQLite file, `chain.sqlite` in `dataDir`. Each change
 * is one transaction.
 */
export function createChainStore({ dataDir, symbols }: { dataDir: string; symbols: Symbols }) {
  const database = openDatabase(dataDir, "chain.sqlite");
  database.exec(schema);

  const insertMeta = database.prepare(
    "INSERT INTO meta VALUES ('chain', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
  );
  const putAccount = database.prepare(
    "INSERT INTO accounts VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET body = excluded.body",
  );
  const putCommunity = database.prepare(
    "INSERT INTO communities VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET body = excluded.body",
  );
  const dropAccount = database.prepare("DELETE FROM accounts WHERE name = ?");
  const dropCommunity = database.prepare("DELETE FROM communities WHERE name = ?");
  const insertBlock = database.prepare("INSERT INTO blocks VALUES (?, ?, ?, ?, ?)");
  const insertTransaction = database.prepare("INSERT INTO transactions VALUES (?, ?, ?, ?)");
  const insertPool = database.prepare("INSERT INTO pool VALUES (?, ?, ?)");
  const dropPool = database.prepare("DELETE FROM pool WHERE id = ?");
  const selectBlock = database.prepare("SELECT num, id, previous, time FROM blocks WHERE num = ?");
  const selectUndo = database.prepare("SELECT undo FROM blocks WHERE num = ?");
  const selectByBlock = database.prepare("SELECT * FROM transactions WHERE block_num = ? ORDER BY trx_num");
  const insertHistory = database.prepare(
    "INSERT INTO account_history SELECT ?1, COALESCE(MAX(seq), -1) + 1, ?2, ?3, ?4 FROM account_history WHERE account = ?1",
  );
  const selectHistory = database.prepare(
    "SELECT seq, trx_id, op_num FROM account_history WHERE account = ? AND seq <= ? AND block_num <= ? ORDER BY seq DESC",
  );
  const selectById = database.prepare("SELECT * FROM transactions WHERE id = ?");

  const readIncluded = (row: unknown): Included => {
    const { body, block_num, trx_num } = row as Row;
    return {
      ...readTransaction(String(body), symbols),
      blockNum: Number(block_num),
      trxNum: Number(trx_num),
    };
  };
  const restore = <T>(
    entries: ReadonlyArray<readonly [string, T | null]>,
    put: (name: string, value: T) => void,
    drop: (name: string) => void,
  ) => {
    for (const [name, value] of entries)
      if (value === null) drop(name);
      else put(name, value);
  };
  const saveAccount = (name: string, account: Account) => putAccount.run(name, writeAccount(account));
  const saveCommunity = (name: string, community: Community) =>
    putCommunity.run(name, writeCommunity(community));

  return {
    /** Runs `change` completely, or not at all if it throws or the process dies. */
    atomically: (change: () => void) => database.transaction(change)(),
    loadMeta(): Meta | null {
      const row = database.prepare("SELECT value FROM meta WHERE key = 'chain'").get() as Row | undefined;
      return row ? (JSON.parse(String(row.value)) as Meta) : null;
    },
    saveMeta: (meta: Meta) => insertMeta.run(JSON.stringify(meta)),
    loadState(): State {
      const accounts = database.prepare("SELECT body FROM accounts").all() as Row[];
      const communities = database.prepare("SELECT body FROM communities").all() as Row[];
      return {
        accounts: new Map(
          accounts.map(({ body }) => readAccount(String(body))).map((one) => [one.name, one]),
        ),
        communities: new Map(
          communities.map(({ body }) => readCommunity(String(body))).map((one) => [one.name, one]),
        ),
      };
    },
    saveAccounts: (accounts: Iterable<Account>) => {
      for (const account of accounts) saveAccount(account.name, account);
    },
    saveCommunities: (communities: Iterable<Community>) => {
      for (const community of communities) saveCommunity(community.name, community);
    },
    loadHead: () =>
      database.prepare("SELECT num, id, previous, time FROM blocks ORDER BY num DESC LIMIT 1").get() as
        | BlockHeader
        | undefined,
    loadBlock(num: number): Block | null {
      const header = selectBlock.get(num) as BlockHeader | undefined;
      return header ? { ...header, transactions: selectByBlock.all(num).map(readIncluded) } : null;
    },
    loadBlockId: (num: number) => (selectBlock.get(num) as BlockHeader | undefined)?.id ?? null,
    appendBlock(block: Block, undo: Undo) {
      const before = {
        accounts: undo.accounts.map(([name, account]) => [name, account && writeAccount(account)]),
        communities: undo.communities.map(([name, community]) => [
          name,
          community && writeCommunity(community),
        ]),
      };
      insertBlock.run(block.num, block.id, block.previous, block.time, JSON.stringify(before));
      for (const [index, accepted] of block.transactions.entries()) {
        insertTransaction.run(accepted.id, block.num, index, writeTransaction(accepted, symbols));
        for (const [opNum, operation] of accepted.transaction.operations.entries())
          for (const account of accountsOf(operation))
            insertHistory.run(account, block.num, accepted.id, opNum);
      }
    },
    /** Removes the block and restores the state before it. */
    removeBlock(num: number) {
      const undo = JSON.parse(String((selectUndo.get(num) as Row).undo)) as {
        accounts: Array<[string, string | null]>;
        communities: Array<[string, string | null]>;
      };
      restore(
        undo.accounts,
        (name, body) => putAccount.run(name, body),
        (name) => dropAccount.run(name),
      );
      restore(
        undo.communities,
        (name, body) => putCommunity.run(name, body),
        (name) => dropCommunity.run(name),
      );
      database.prepare("DELETE FROM account_history WHERE block_num = ?").run(num);
      database.prepare("DELETE FROM transactions WHERE block_num = ?").run(num);
      database.prepare("DELETE FROM blocks WHERE num = ?").run(num);
    },
    /** Returns the account's operations up to number `start` and block `blockNum`, newest first. */
    *loadHistory(account: string, start: number, blockNum: number): Generator<HistoryEntry> {
      for (const row of selectHistory.all(account, start, blockNum) as Row[])
        yield { seq: Number(row.seq), trxId: String(row.trx_id), opNum: Number(row.op_num) };
    },
    findTransaction(id: string): Included | null {
      const row = selectById.get(id);
      return row ? readIncluded(row) : null;
    },
    loadPool(): PooledTransaction[] {
      const rows = database.prepare("SELECT body, drop_at FROM pool ORDER BY rowid").all() as Row[];
      return rows.map(({ body, drop_at }) => ({
        ...readTransaction(String(body), symbols),
        dropAt: Number(drop_at),
      }));
    },
    addToPool: (entry: PooledTransaction) =>
      insertPool.run(entry.id, entry.dropAt, writeTransaction(entry, symbols)),
    removeFromPool: (id: string) => dropPool.run(id),
    close: () => database.close(),
  };
}

// Only this module writes these rows, so their JSON needs no check.

function writeAccount(account: Account): string {
  return JSON.stringify({ ...account, hbd: account.hbd.toString(), hive: account.hive.toString() });
}

function readAccount(body: string): Account {
  const row = JSON.parse(body) as Omit<Account, "hbd" | "hive"> & { hbd: string; hive: string };
  return { ...row, hbd: BigInt(row.hbd), hive: BigInt(row.hive) };
}

function writeCommunity(community: Community): string {
  return JSON.stringify({ ...community, roles: [...community.roles] });
}

function readCommunity(body: string): Community {
  const row = JSON.parse(body);
  return { ...row, roles: new Map(row.roles) };
}

/** Writes a transaction in the chain's text form, which is exact for every amount. */
function writeTransaction(accepted: AcceptedTransaction, symbols: Symbols): string {
  const { id, packing, resourceCost } = accepted;
  const transaction = renderTransaction(accepted.transaction, "text", symbols);
  return JSON.stringify({ id, packing, resourceCost, transaction });
}

function readTransaction(body: string, symbols: Symbols): AcceptedTransaction {
  const row = JSON.parse(body);
  return { ...row, transaction: parseTransaction(row.transaction, symbols) };
}

/** Returns the accounts whose history includes an operation, without duplicates. */
function accountsOf(operation: Operation): string[] {
  switch (operation.type) {
    case "transfer":
      return [...new Set([operation.from, operation.to])];
    case "account_create":
      return [...new Set([operation.creator, operation.new_account_name])];
    case "account_update":
    case "account_update2":
      return [operation.account];
    case "custom_json":
      return [...new Set([...operation.required_auths, ...operation.required_posting_auths])];
  }
}
