import { setTimeout as wait } from "node:timers/promises";
import { cpuMs } from "./children.ts";
import type { Measured } from "./measure-in-turn.ts";
import { closeSockets, openSocket } from "./websocket-load.ts";

/** The pace of a storm. */
export type Storm = { perSecond: number; seconds: number };

/**
 * Opens websockets at a pace, however long each takes. Measures the time of each from its request to its first
 * message, the processor time of the server `pid` for one, and the share of refused ones.
 * @throws Error if all are refused
 */
export async function measureStorm(
  { address, pid }: { address: string; pid: number },
  { perSecond, seconds }: Storm,
): Promise<Measured> {
  const times: number[] = [];
  const open = async () => {
    const begunAtMs = performance.now();
    const socket = await openSocket(address).catch(() => null);
    if (socket) times.push(performance.now() - begunAtMs);
    return socket;
  };
  const cpuBefore = cpuMs(pid);
  const startedAtMs = performance.now();
  const all: ReturnType<typeof open>[] = [];
  while (all.length < perSecond * seconds) {
    const sinceMs = performance.now() - startedAtMs;
    const due = Math.min(perSecond * seconds, Math.ceil((sinceMs / 1000) * perSecond));
    while (all.length < due) all.push(open());
    await wait(1);
  }
  const sockets = (await Promise.all(all)).filter((socket) => socket !== null);
  const ms = performance.now() - startedAtMs;
  const cpuUs = ((cpuMs(pid) - cpuBefore) * 1000) / sockets.length;
  await closeSockets(sockets);
  times.sort((one, other) => one - other);
  const at = (share: number) => times[Math.floor(times.length * share)];
  const [p50Ms, p99Ms] = [at(0.5), at(0.99)];
  if (p50Ms === undefined || p99Ms === undefined) throw new Error(`${address} refused every websocket`);
  const refusedPercent = (1 - sockets.length / all.length) * 100;
  return { perSecond: (sockets.length / ms) * 1000, cpuUs, p50Ms, p99Ms, refusedPercent };
}
