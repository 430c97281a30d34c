/** Durations and sizes of the hub: a real server's unless a test needs them shorter. */
export type Limits = {
  authenticateMs: number;
  pingMs: number;
  /** The socket is dropped after this long without a pong frame. */
  readMs: number;
  /** The socket ends if the peer does not accept a frame for this long. */
  writeMs: number;
  /** The interval for checking connections without a socket, and their minimum lifetime. */
  reapMs: number;
  maxFrameBytes: number;
  /** The maximum of frames waiting for a slow peer. From half of it on, short-lived events are dropped. */
  maxQueued: number;
  /** The number of events stored for a resume, sent or not. */
  maxReplayed: number;
  /** The number of connections without a socket stored per user. */
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
