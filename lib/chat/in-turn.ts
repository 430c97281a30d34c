import { processWide } from "../process-wide.ts";

/** Runs the works of one key one after another; those of other keys don't wait. */
export async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
  const queues = processWide("in-turn", () => new Map<string, Promise<unknown>>());
  const before = queues.get(key) ?? Promise.resolve();
  const mine = before.then(work, work);
  queues.set(key, mine);
  try {
    return await mine;
  } finally {
    if (queues.get(key) === mine) queues.delete(key);
  }
}
