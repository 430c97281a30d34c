/** Durations and sizes of the hub: a real server's unless a test needs them shorter. */
export type Limits = {
  authenticateMs: number;
  pingMs: number;
  /** Time without a pong frame after which the socket is dropped. */
  readMs: number;
  /** Time after which the socket is dropped if its peer accepts no frame. */
  writeMs: number;
  /** The interval between checks for connections without a socket, and their minimum lifetime. */
  reapMs: number;
  maxFrameBytes: number;
  /**
   * Maximum number of frames waiting for a slow peer. Once half as many wait, short-lived events are dropped.
   */
  maxQueued: number;
  /** Number of events stored for a resume, sent or not. */
  maxReplayed: number;
  /** Number of connections without a socket stored per user. */
  maxDormant: number;
};

export const defaultLimits: Limits = {
  authenticateMs: 5_000,
  pingMs: 60_000,
  readMs: 100_000,
  writeMs: 30_000,
  reapMs: 300_000,
  maxFrameBytes: 8_192,
  maxQueued: 256,
  maxReplayed: 128,
  maxDormant: 64,
};
