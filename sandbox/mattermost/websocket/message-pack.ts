const MAX_DEPTH = 32;

/**
 * Decodes the first MessagePack value of a frame; binary strings and extension types become bytes.
 *
 * @throws RangeError when the frame ends too early, nests too deep or holds a reserved byte.
 */
export function decodeMessagePack(frame: Uint8Array): unknown {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  let at = 0;

  const take = (length: number): number => {
    const start = at;
    if (start + length > frame.byteLength) throw new RangeError("frame too short");
    at += length;
    return start;
  };
  const unsigned = (size: 1 | 2 | 4 | 8): number => {
    const start = take(size);
    if (size === 1) return view.getUint8(start);
    if (size === 2) return view.getUint16(start);
    return size === 4 ? view.getUint32(start) : Number(view.getBigUint64(start));
  };
  const signed = (size: 1 | 2 | 4 | 8): number => {
    const start = take(size);
    if (size === 1) return view.getInt8(start);
    if (size === 2) return view.getInt16(start);
    return size === 4 ? view.getInt32(start) : Number(view.getBigInt64(start));
  };
  const bytes = (length: number): Uint8Array => {
    const start = take(length);
    return frame.slice(start, start + length);
  };
  const text = (length: number): string => Buffer.from(bytes(length)).toString("utf8");
  const list = (length: number, depth: number): unknown[] => {
    const items: unknown[] = [];
    for (let index = 0; index < length; index += 1) items.push(value(depth));
    return items;
  };
  const map = (length: number, depth: number): Record<string, unknown> => {
    const entries: [string, unknown][] = [];
    for (let index = 0; index < length; index += 1) entries.push([String(value(depth)), value(depth)]);
    return Object.fromEntries(entries);
  };
  const extension = (length: number): Uint8Array => {
    take(1);
    return bytes(length);
  };

  function value(above: number): unknown {
    const depth = above + 1;
    if (depth > MAX_DEPTH) throw new RangeError("nested too deep");
    const head = unsigned(1);
    if (head < 0x80) return head;
    if (head < 0x90) return map(head & 0x0f, depth);
    if (head < 0xa0) return list(head & 0x0f, depth);
    if (head < 0xc0) return text(head & 0x1f);
    if (head >= 0xe0) return head - 0x100;
    switch (head) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xc4:
        return bytes(unsigned(1));
      case 0xc5:
        return bytes(unsigned(2));
      case 0xc6:
        return bytes(unsigned(4));
      case 0xc7:
        return extension(unsigned(1));
      case 0xc8:
        return extension(unsigned(2));
      case 0xc9:
        return extension(unsigned(4));
      case 0xca:
        return view.getFloat32(take(4));
      case 0xcb:
        return view.getFloat64(take(8));
      case 0xcc:
        return unsigned(1);
      case 0xcd:
        return unsigned(2);
      case 0xce:
        return unsigned(4);
      case 0xcf:
        return unsigned(8);
      case 0xd0:
        return signed(1);
      case 0xd1:
        return signed(2);
      case 0xd2:
        return signed(4);
      case 0xd3:
        return signed(8);
      case 0xd4:
        return extension(1);
      case 0xd5:
        return extension(2);
      case 0xd6:
        return extension(4);
      case 0xd7:
        return extension(8);
      case 0xd8:
        return extension(16);
      case 0xd9:
        return text(unsigned(1));
      case 0xda:
        return text(unsigned(2));
      case 0xdb:
        return text(unsigned(4));
      case 0xdc:
        return list(unsigned(2), depth);
      case 0xdd:
        return list(unsigned(4), depth);
      case 0xde:
        return map(unsigned(2), depth);
      case 0xdf:
        return map(unsigned(4), depth);
      default:
        throw new RangeError("reserved byte");
    }
  }
  return value(0);
}

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

/** The reply to a successful action. */
export function okFrame(seq: number, data?: Record<string, unknown>): string {
  return JSON.stringify({ status: "OK", seq_reply: seq, ...(data && { data }) });
}

/** The reply to a refused action. A `seq` of 0 is omitted. */
export function failFrame({ seq }: { seq: number }, id: ReplyErrorId, name = ""): string {
  const [status, message] = errors[id];
  const error = { id, message: message.replace("{Name}", name), detailed_error: "", status_code: status };
  return JSON.stringify({ status: "FAIL", ...(seq !== 0 && { seq_reply: seq }), error });
}

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
