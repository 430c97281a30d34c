import { setTimeout as wait } from "node:timers/promises";
import { cpuMs, memoryMb } from "./children.ts";
import { closeSockets, openSockets, untilAllClosed } from "./websocket-load.ts";

/** The cost of one server's idle websockets: memory of each, and the processor's time for all as a share of one core. */
export type IdleCost = { kbPerConnection: number; percentOfCore: number };

/**
 * Opens this many websockets that carry nothing, and measures what the server `pid` spends on them for `idleMs`. At the
 * end none is left open, or the next measurement would send its frames to them too.
 * @throws Error if the server keeps one open at the backend
 */
export async function measureIdle(
  { address, pid, backendUrl }: { address: string; pid: number; backendUrl: string },
  { clients, idleMs, closeLimitMs = 30_000 }: { clients: number; idleMs: number; closeLimitMs?: number },
): Promise<IdleCost> {
  const beforeMb = memoryMb(pid);
  const sockets = await openSockets(address, clients);
  const startedAtMs = performance.now();
  const beforeMs = cpuMs(pid);
  await wait(idleMs);
  const share = (cpuMs(pid) - beforeMs) / (performance.now() - startedAtMs);
  const grownMb = memoryMb(pid) - beforeMb;
  await closeSockets(sockets);
  if (!(await untilAllClosed(backendUrl, closeLimitMs)))
    throw new Error(`${address} keeps websockets open whose clients have left`);
  return {
    kbPerConnection: Math.round((grownMb * 1024) / clients),
    percentOfCore: Math.round(share * 10_000) / 100,
  };
}
