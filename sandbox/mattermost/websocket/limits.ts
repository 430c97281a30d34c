/** Durations and sizes of the hub: a real server's unless a test needs them shorter. */
export type Limits = {
  authenticateMs: number;
  pingMs: number;
  /** Without a pong frame for this long the socket is cut. */
  readMs: number;
  /** A frame that the peer does not take for this long ends the socket. */
  writeMs: number;
  /** How often connections without a socket are looked at, and how long one is kept at least. */
  reapMs: number;
  maxFrameBytes: number;
  /** Frames that wait for a slow peer; from half of it on events that soon are stale anyway are dropped. */
  maxQueued: number;
  /** Events that are kept, sent or not, for a resume. */
  maxReplayed: number;
  /** Connections without a socket that are kept for one user. */
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
