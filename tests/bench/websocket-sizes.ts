import type { SlowReaders } from "./slow-readers.ts";
import type { Storm } from "./storm.ts";
import type { Frames } from "./websocket-load.ts";

/** The sizes of the websocket measurements. */
export type WebsocketSizes = {
  fanOuts: readonly { clients: number; frames: Frames }[];
  idle: { clients: number; idleMs: number };
  storm: Storm;
  slow: SlowReaders;
  /** The time that a server has to cut the clients that never read. */
  cutLimitMs: number;
};

export const usualSizes: WebsocketSizes = {
  fanOuts: [
    { clients: 100, frames: { count: 300, characters: 520 } },
    { clients: 1000, frames: { count: 30, characters: 520 } },
  ],
  // Longer than the gateway's round of pings, so that it holds one.
  idle: { clients: 5000, idleMs: 30_000 },
  storm: { perSecond: 500, seconds: 3 },
  // 32 MB to each: more than the system buffers.
  slow: { readers: 20, silent: 50, frames: { count: 2000, characters: 16_000 } },
  cutLimitMs: 60_000,
};

/** Sizes that only show that the bench runs. */
export const quickSizes: WebsocketSizes = {
  fanOuts: [{ clients: 10, frames: { count: 30, characters: 520 } }],
  idle: { clients: 50, idleMs: 100 },
  storm: { perSecond: 50, seconds: 1 },
  slow: { readers: 2, silent: 2, frames: { count: 20, characters: 16_000 } },
  cutLimitMs: 500,
};
