import type { Shape } from "./chain-reader.ts";

/**
 * Maximum number of names in a shared call. An account may have more than a hundred kilobytes of metadata, and a few
 * such accounts must not make the answer too large for everyone.
 */
const MAX_NAMES = 10;

const FIND_ACCOUNTS = "database_api.find_accounts";

/** Returns the call that reads accounts of these names. */
export const findAccountsCall = (accounts: readonly string[]) => ({
  method: FIND_ACCOUNTS,
  params: { accounts, delayed_votes_active: true },
});

/** Returns the names of a call that `findAccountsCall` created; null for other calls. */
export function namesIn({ method, params }: { method: string; params: unknown }): readonly string[] | null {
  return method === FIND_ACCOUNTS ? (params as ReturnType<typeof findAccountsCall>["params"]).accounts : null;
}

type Ask = <T>(names: readonly string[], shape: Shape<T>, signal: AbortSignal) => Promise<T>;

type Read = {
  names: readonly string[];
  shape: Shape<unknown>;
  signal: AbortSignal;
  resolve(accounts: unknown): void;
  reject(error: unknown): void;
};

/**
 * Creates reads of accounts at one node, which share a call with other reads in the same turn of the event
 * loop. No read gets an answer that was requested before the read began. An answer may contain accounts that
 * only other reads asked for.
 */
export function createAccountReads(options: {
  ask: Ask;
  /** Returns true for a fault that one of several accounts may have caused; then each read asks alone. */
  isOfAnswer: (error: unknown) => boolean;
  /** Creates the error of a read whose signal aborts while other reads wait for the same call. */
  toFault: (reason: unknown) => Error;
}): Ask {
  const { ask, isOfAnswer, toFault } = options;
  let waiting: Read[] = [];

  const answer = async (reads: readonly [Read, ...Read[]], names: readonly string[]) => {
    const [{ shape, signal }, ...others] = reads;
    try {
      const isShared = others.every((read) => read.signal === signal);
      const asked = isShared ? { signal, end() {} } : untilAllAbort(reads, toFault);
      const accounts = await ask(names, shape, asked.signal).finally(asked.end);
      for (const { resolve } of reads) resolve(accounts);
    } catch (error) {
      if (others.length > 0 && isOfAnswer(error)) for (const read of reads) void answer([read], read.names);
      else for (const { reject } of reads) reject(error);
    }
  };

  const send = () => {
    const groups: Array<{ reads: [Read, ...Read[]]; names: Set<string> }> = [];
    for (const read of waiting) {
      const last = groups.at(-1);
      const names = new Set([...(last?.names ?? []), ...read.names]);
      if (last && names.size <= MAX_NAMES && last.reads[0].shape === read.shape) {
        last.reads.push(read);
        last.names = names;
      } else groups.push({ reads: [read], names: new Set(read.names) });
    }
    waiting = [];
    for (const { reads, names } of groups) void answer(reads, [...names]);
  };

  return <T>(names: readonly string[], shape: Shape<T>, signal: AbortSignal) =>
    new Promise<T>((resolve, reject) => {
      if (waiting.length === 0) setImmediate(send);
      waiting.push({ names, shape, signal, resolve: (accounts) => resolve(accounts as T), reject });
    });
}

/**
 * Creates a signal that aborts once all of the reads have been aborted. Each aborted read rejects at once.
 */
function untilAllAbort(reads: readonly Read[], toFault: (reason: unknown) => Error) {
  const controller = new AbortController();
  let wanted = reads.length;
  const stops = reads.map(({ signal, reject }) => {
    const leave = () => {
      reject(toFault(signal.reason));
      wanted--;
      if (wanted === 0) controller.abort(signal.reason);
    };
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
    return () => signal.removeEventListener("abort", leave);
  });
  return {
    signal: controller.signal,
    end() {
      for (const stop of stops) stop();
    },
  };
}
