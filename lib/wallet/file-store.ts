import { z } from "zod";
import type { BudgetStore } from "../x402/client/index.ts";
import { underLock } from "./file-lock.ts";
import { readPrivateFile, writePrivateFile } from "./private-file.ts";
import { WalletError } from "./wallet-error.ts";

const MAX_BYTES = 8 * 1024 * 1024;

const Entries = z.record(z.string(), z.object({ value: z.string(), expiresAtMs: z.number().nullable() }));
type Entries = z.infer<typeof Entries>;

/**
 * Creates a store in one file, for the few writes of a wallet. Every method is atomic across all processes of
 * this machine. A write is on disk when it resolves.
 */
export function createFileStore(path: string): BudgetStore {
  let turn: Promise<unknown> = Promise.resolve();
  const read = async (): Promise<Entries> => {
    const text = await readPrivateFile(path, "from readers", MAX_BYTES);
    const entries = text === null ? {} : parse(text, path);
    const now = Date.now();
    return Object.fromEntries(
      Object.entries(entries).filter(([, { expiresAtMs }]) => (expiresAtMs ?? now) >= now),
    );
  };
  /** Writes the key if its current value is the expected one. */
  const change = (key: string, expected: string | null, value: string, ttlSeconds?: number) => {
    const work = () =>
      underLock(`${path}.lock`, async () => {
        const entries = await read();
        if ((entries[key]?.value ?? null) !== expected) return false;
        const expiresAtMs = ttlSeconds === undefined ? null : Date.now() + ttlSeconds * 1000;
        await writePrivateFile(path, JSON.stringify({ ...entries, [key]: { value, expiresAtMs } }));
        return true;
      });
    // This process's own writes queue here instead of at the lock.
    const next = turn.then(work, work);
    turn = next.catch(() => {});
    return next;
  };
  return {
    get: async (key) => (await read())[key]?.value ?? null,
    setIfAbsent: (key, value, ttlSeconds) => change(key, null, value, ttlSeconds),
    replace: change,
  };
}

function parse(text: string, path: string): Entries {
  try {
    return Entries.parse(JSON.parse(text));
  } catch (cause) {
    throw new WalletError(`${path} can't be read as a wallet's records.`, { cause });
  }
}
