export type RelayOptions = {
  /** The relay's address, such as `wss://hive-auth.arcange.eu`. */
  relay: string;
  signal?: AbortSignal;
  /** Default the runtime's own; on Node 20, that of `ws`. */
  WebSocket?: typeof WebSocket;
};

const LONGEST_FRAME = 16_384;
const MOST_FRAMES = 100;
/** The time within which a relay answers. */
export const ANSWER_MS = 10_000;
/** The time after which a lost connection is opened again. */
export const RETRY_MS = 1000;

/** `timeout` is the number of seconds for which a relay keeps a question. */
export type Frame = { cmd?: string; uuid?: string; data?: string; timeout?: number };

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** Parses JSON, or returns null for any other text. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Reads a relay's frame, whose fields have the expected types or are left out. */
function readFrame(data: unknown): Frame {
  const value = typeof data === "string" && data.length <= LONGEST_FRAME ? parse(data) : null;
  if (!isObject(value)) return {};
  const text = (field: unknown) => (typeof field === "string" ? field : undefined);
  const [cmd, uuid, content] = [text(value.cmd), text(value.uuid), text(value.data)];
  return {
    ...(cmd !== undefined && { cmd }),
    ...(uuid !== undefined && uuid.length <= 100 && { uuid }),
    ...(content !== undefined && { data: content }),
    ...(typeof value.timeout === "number" && value.timeout > 0 && { timeout: value.timeout }),
  };
}

/** Opens a websocket whose frames are read one after the other. */
export function connect({ relay, signal, ...options }: RelayOptions) {
  const Socket = options.WebSocket ?? WebSocket;
  const socket = new Socket(relay);
  const frames: Frame[] = [];
  let isClosed = false;
  let wake = () => {};
  const onAbort = () => wake();
  signal?.addEventListener("abort", onAbort);
  const opened = new Promise<void>((resolve) => {
    const timer = setTimeout(() => socket.close(), ANSWER_MS);
    const settle = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", settle);
      resolve();
    };
    socket.addEventListener("open", settle);
    socket.addEventListener("close", settle);
    signal?.addEventListener("abort", settle);
  });
  socket.addEventListener("message", ({ data }: MessageEvent) => {
    frames.push(readFrame(data));
    if (frames.length > MOST_FRAMES) socket.close();
    wake();
  });
  socket.addEventListener("close", () => {
    isClosed = true;
    wake();
  });
  // A failed connection also emits `close`.
  socket.addEventListener("error", () => {});

  return {
    /** Resolves once the connection is open or has failed, or the signal aborts. */
    opened,
    isOpen: () => socket.readyState === Socket.OPEN,
    send(content: object) {
      if (socket.readyState === Socket.OPEN) socket.send(JSON.stringify(content));
    },
    /** Returns the next frame, or why there is none. @throws the signal's reason */
    async next(leftMs: number): Promise<Frame | "closed" | "late"> {
      let isLate = leftMs <= 0;
      const timer = setTimeout(() => {
        isLate = true;
        wake();
      }, leftMs);
      try {
        for (;;) {
          signal?.throwIfAborted();
          const frame = frames.shift();
          if (frame) return frame;
          if (isLate) return "late";
          if (isClosed) return "closed";
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      } finally {
        clearTimeout(timer);
      }
    },
    close() {
      signal?.removeEventListener("abort", onAbort);
      socket.close();
    },
  };
}

/** Waits, or less if the signal aborts. */
export const pause = (ms: number, signal: AbortSignal | undefined) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(end, ms);
    function end() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    }
    signal?.addEventListener("abort", end);
  });
