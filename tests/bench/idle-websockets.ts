import { setTimeout as wait } from "node:timers/promises";
import { cpuMs, memoryMb } from "./children.ts";
import { closeSockets, openSockets } from "./websocket-load.ts";

/** The cost of one server's idle websockets: memory of each, and the processor's time for all as a share of one core. */
export type IdleCost = { kbPerConnection: number; percentOfCore: number };

/** Opens this many websockets that carry nothing, and measures what the server `pid` spends on them for `idleMs`. */
export async function measureIdle(
  { address, pid }: { address: string; pid: number },
  { clients, idleMs }: { clients: number; idleMs: number },
): Promise<IdleCost> {
  const beforeMb = memoryMb(pid);
  const sockets = await openSockets(address, clients);
  const startedAtMs = performance.now();
  const beforeMs = cpuMs(pid);
  await wait(idleMs);
  const share = (cpuMs(pid) - beforeMs) / (performance.now() - startedAtMs);
  const grownMb = memoryMb(pid) - beforeMb;
  await closeSockets(sockets);
  return {
    kbPerConnection: Math.round((grownMb * 1024) / clients),
    percentOfCore: Math.round(share * 10_000) / 100,
  };
}
