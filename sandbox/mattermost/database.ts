import type Libsql from "libsql";
import { openDatabase as openFile } from "../../lib/store/open-database.ts";
import { schema } from "./schema.ts";

/** No booleans: the driver aborts the process on one. */
export type SqlValue = string | number | null | Uint8Array;

export type Database = {
  all<Row>(sql: string, ...values: SqlValue[]): Row[];
  first<Row>(sql: string, ...values: SqlValue[]): Row | undefined;
  /** Returns how many rows were changed. */
  run(sql: string, ...values: SqlValue[]): number;
  insert(table: string, row: Readonly<Record<string, SqlValue>>): void;
  /** Sets `changes` in the rows whose columns equal `key`. */
  update(
    table: string,
    key: Readonly<Record<string, SqlValue>>,
    changes: Readonly<Record<string, SqlValue>>,
  ): number;
  /** All of `work` or nothing of it; inside another transaction it is simply part of that. */
  transact<T>(work: () => T): T;
  isInTransaction(): boolean;
  /** Another number after every write, so that an answer can be kept while it is the same. */
  version(): number;
  /** False once closed; every other call throws then. */
  isOpen(): boolean;
  close(): void;
};

const MAX_STATEMENTS = 500;

/** Opens (and on first use makes) `mattermost.sqlite` in `dataDir`. */
export function openDatabase(dataDir: string): Database {
  const libsql = openFile(dataDir, "mattermost.sqlite");
  // With a write-ahead log, NORMAL keeps every commit through the death of the process; only a dead machine loses some.
  libsql.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000;");
  libsql.exec(schema);

  const statements = new Map<string, Libsql.Statement>();
  let isOpen = true;
  let version = 0;
  // The driver aborts the process when a closed database is used.
  const demandOpen = () => {
    if (!isOpen) throw new Error("the database is closed");
  };
  const prepare = (sql: string) => {
    demandOpen();
    const known = statements.get(sql);
    if (known) return known;
    // Texts differ in how many words are searched for and which columns are set: plenty, but not without end.
    if (statements.size >= MAX_STATEMENTS) statements.clear();
    const statement = libsql.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  const run = (sql: string, values: SqlValue[]) => {
    version += 1;
    return prepare(sql).run(values).changes;
  };
  const equals = (columns: string[]) => columns.map((column) => `${column} = ?`);

  return {
    all<Row>(sql: string, ...values: SqlValue[]) {
      return prepare(sql).all(values) as Row[];
    },
    first<Row>(sql: string, ...values: SqlValue[]) {
      return prepare(sql).all(values)[0] as Row | undefined;
    },
    run: (sql, ...values) => run(sql, values),
    insert(table, row) {
      const columns = Object.keys(row);
      run(
        `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
        Object.values(row),
      );
    },
    update(table, key, changes) {
      const set = equals(Object.keys(changes)).join(", ");
      const where = equals(Object.keys(key)).join(" AND ");
      return run(`UPDATE ${table} SET ${set} WHERE ${where}`, [
        ...Object.values(changes),
        ...Object.values(key),
      ]);
    },
    transact(work) {
      demandOpen();
      if (libsql.inTransaction) return work();
      libsql.exec("BEGIN IMMEDIATE");
      try {
        const result = work();
        libsql.exec("COMMIT");
        return result;
      } catch (error) {
        if (libsql.inTransaction) libsql.exec("ROLLBACK");
        version += 1;
        throw error;
      }
    },
    isInTransaction: () => isOpen && libsql.inTransaction,
    version: () => version,
    isOpen: () => isOpen,
    close() {
      isOpen = false;
      statements.clear();
      libsql.close();
    },
  };
}
