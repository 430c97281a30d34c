const errors = {
  "api.web_socket_router.no_action.app_error": [400, "No websocket action."],
  "api.web_socket_router.bad_seq.app_error": [400, "Invalid sequence for WebSocket message."],
  "api.web_socket_router.bad_action.app_error": [500, "Unknown WebSocket action."],
  "api.web_socket_router.not_authenticated.app_error": [
    401,
    "WebSocket connection is not authenticated. Please log in and try again.",
  ],
  "api.context.invalid_token.error": [401, "Invalid session token."],
  "api.websocket_handler.invalid_param.app_error": [400, "Invalid {Name} parameter."],
} as const;

export type ReplyErrorId = keyof typeof errors;

/** The reply to an action that was done. */
export function okFrame(seq: number, data?: Record<string, unknown>): string {
  return JSON.stringify({ status: "OK", seq_reply: seq, ...(data && { data }) });
}

/** The reply to an action that was refused; a `seq` of 0 is left out. */
export function failFrame({ seq }: { seq: number }, id: ReplyErrorId, name = ""): string {
  const [status, message] = errors[id];
  const error = { id, message: message.replace("{Name}", name), detailed_error: "", status_code: status };
  return JSON.stringify({ status: "FAIL", ...(seq !== 0 && { seq_reply: seq }), error });
}

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
