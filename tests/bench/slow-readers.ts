import { cpuMs, memoryMb } from "./children.ts";
import type { Measured } from "./measure-in-turn.ts";
import { type Frames, openFanOut, openSockets, untilAllClosed } from "./websocket-load.ts";

/** Clients that read, next to others that never do, and the burst that each of them is sent. */
export type SlowReaders = { readers: number; silent: number; frames: Frames };

/** Memory of a server for each client that never reads, and the seconds until the server had cut all of them. */
export type SlowCost = { kbPerSilent: number; cutAfterSeconds: number | null };

type Server = { address: string; pid: number; backendUrl: string };

/** Measures a burst to the clients that read. */
export async function measureBesideSlow(server: Server, given: SlowReaders): Promise<Measured> {
  const { readers, silent, ms, cpuUs } = await burstBesideSlow(server, given);
  for (const socket of silent) socket.terminate();
  await readers.close();
  return { perSecond: ((given.readers * given.frames.count) / ms) * 1000, cpuUs };
}

/** Measures the cost of the clients that never read, which the server has `limitMs` to cut. */
export async function measureSlowCost(
  server: Server,
  given: SlowReaders,
  limitMs: number,
): Promise<SlowCost> {
  const beforeMb = memoryMb(server.pid);
  const startedAtMs = performance.now();
  const { readers, silent } = await burstBesideSlow(server, given);
  const grownMb = memoryMb(server.pid) - beforeMb;
  await readers.close();
  // A client that never reads does not see that it was cut, but the backend does.
  const isCut = await untilAllClosed(server.backendUrl, limitMs - (performance.now() - startedAtMs));
  const seconds = Math.round((performance.now() - startedAtMs) / 1000);
  for (const socket of silent) socket.terminate();
  return {
    kbPerSilent: Math.round((grownMb * 1024) / given.silent),
    cutAfterSeconds: isCut ? seconds : null,
  };
}

async function burstBesideSlow({ address, pid, backendUrl }: Server, given: SlowReaders) {
  const silent = await openSockets(address, given.silent);
  for (const socket of silent) socket.pause();
  const readers = await openFanOut(address, backendUrl, given.readers);
  const cpuBefore = cpuMs(pid);
  const ms = await readers.burst(given.frames);
  const cpuUs = ((cpuMs(pid) - cpuBefore) * 1000) / (given.readers * given.frames.count);
  return { readers, silent, ms, cpuUs };
}
