import { hiveAuthLink } from "./hiveauth-links.ts";
import { decryptWithPassphrase, encryptWithPassphrase } from "./passphrase-cipher.ts";

/** A question that waits at a relay, for a page that is loaded again meanwhile. It contains the key: never send it. */
export type HiveAuthQuestion = { uuid: string; key: string; link: string };

export type HiveAuthOptions = {
  /** The relay's address, such as `wss://hive-auth.arcange.eu`. */
  relay: string;
  account: string;
  /** The app's name, which the wallet shows. */
  app: string;
  /** The text that the posting key signs. */
  message: string;
  /** Receives each question once the relay has it; its link is also the text of the QR code. */
  onQuestion: (question: HiveAuthQuestion) => void;
  /** Waits for this question instead of asking a new one. */
  earlier?: HiveAuthQuestion;
  /** Default 300,000. A relay drops a question sooner, and is then asked a new one. */
  withinMs?: number;
  signal?: AbortSignal;
  /** Default the runtime's own; on Node 20, that of `ws`. */
  WebSocket?: typeof WebSocket;
};

/** Thrown if the wallet's owner declined or did not answer in time, or the relay cannot be used. */
export class HiveAuthError extends Error {
  override readonly name = "HiveAuthError";
  readonly code: "declined" | "expired" | "relay_unavailable";

  constructor(code: HiveAuthError["code"]) {
    super(`HiveAuth: ${code}`);
    this.code = code;
  }
}

const LONGEST_FRAME = 16_384;
const MOST_FRAMES = 100;
const ANSWER_MS = 10_000;
const RETRY_MS = 1000;

/**
 * Has a wallet of HiveAuth sign a text at a relay, and returns the signature in hex. The relay passes encrypted texts
 * on and never gets the key, which is only in the link. A lost connection is opened again and resumed.
 * @throws HiveAuthError, or the signal's reason
 */
export async function signByHiveAuth(options: HiveAuthOptions): Promise<string> {
  const { relay, account, app, message, onQuestion, withinMs = 300_000, signal } = options;
  const endsAt = performance.now() + withinMs;
  const key = options.earlier?.key ?? crypto.randomUUID();
  const content = { app: { name: app }, challenge: { key_type: "posting", challenge: message } };
  const request = {
    cmd: "auth_req",
    account,
    data: await encryptWithPassphrase(JSON.stringify(content), key),
  };
  let question = options.earlier ?? null;
  if (question) onQuestion(question);

  /** Returns the signature, or null if the connection is lost. */
  const converse = async (connection: ReturnType<typeof connect>): Promise<string | null> => {
    await connection.opened;
    connection.send(question ? { cmd: "attach_req", uuid: question.uuid } : request);
    let questionMs = withinMs;
    let answerBy = question ? endsAt : performance.now() + ANSWER_MS;
    const askAgain = () => {
      question = null;
      answerBy = performance.now() + ANSWER_MS;
      connection.send(request);
    };
    for (;;) {
      const frame = await connection.next(Math.min(answerBy, endsAt) - performance.now());
      if (frame === "closed") return null;
      if (frame === "late" && performance.now() >= endsAt) throw new HiveAuthError("expired");
      if (frame === "late" && !question) throw new HiveAuthError("relay_unavailable");
      if (frame === "late") askAgain();
      else if (frame.cmd === "connected") questionMs = (frame.timeout ?? withinMs / 1000) * 1000;
      else if (!question && frame.cmd === "auth_wait" && frame.uuid !== undefined) {
        const { uuid } = frame;
        question = { uuid, key, link: hiveAuthLink({ account, uuid, key, host: relay }) };
        answerBy = performance.now() + questionMs;
        onQuestion(question);
      } else if (!question && frame.cmd === "error") throw new HiveAuthError("relay_unavailable");
      else if (question && frame.uuid === question.uuid && frame.cmd === "attach_nack") askAgain();
      else if (question && frame.uuid === question.uuid) {
        const signature = await readAnswer(frame, key);
        if (signature !== null) return signature;
      }
    }
  };

  for (;;) {
    signal?.throwIfAborted();
    const connection = connect(options);
    try {
      const signature = await converse(connection);
      if (signature !== null) return signature;
    } finally {
      connection.close();
    }
    if (!question) throw new HiveAuthError("relay_unavailable");
    if (performance.now() >= endsAt) throw new HiveAuthError("expired");
    await pause(RETRY_MS, signal);
  }
}

/** Returns the signature in a frame, or null if the wait goes on. A frame that no wallet encrypted is ignored. */
async function readAnswer({ cmd, data = "" }: Frame, key: string): Promise<string | null> {
  // Some wallets decline without a proof. A relay that invents this only ends a wait, as it could by silence.
  if (cmd === "auth_nack" || cmd === "auth_err") throw new HiveAuthError("declined");
  if (cmd !== "auth_ack") return null;
  const text = await decryptWithPassphrase(data, key);
  const answer = text === null ? null : parse(text);
  const signed = isObject(answer) && isObject(answer.challenge) ? answer.challenge.challenge : null;
  return typeof signed === "string" && /^[0-9a-f]{130}$/.test(signed) ? signed : null;
}

/** `timeout` is the number of seconds for which a relay keeps a question. */
type Frame = { cmd?: string; uuid?: string; data?: string; timeout?: number };

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

function parse(text: string): unknown {
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
function connect({ relay, signal, ...options }: HiveAuthOptions) {
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
      resolve();
    };
    socket.addEventListener("open", settle);
    socket.addEventListener("close", settle);
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
    opened,
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
const pause = (ms: number, signal: AbortSignal | undefined) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(end, ms);
    function end() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    }
    signal?.addEventListener("abort", end);
  });
