import { ChatError } from "./chat-error.ts";
import type { EventList, Frame } from "./events.ts";
import type { Session } from "./session.ts";

/** The part of a WebSocket that is used; that of browsers, of Node 22 and of `ws` has it. */
export type WebSocketLike = {
  readonly readyState: number;
  send(text: string): void;
  close(code?: number, reason?: string): void;
  onopen: (() => void) | null;
  onmessage: ((message: { data: unknown }) => void) | null;
  onclose: ((close: { code: number }) => void) | null;
  onerror: (() => void) | null;
};
export type WebSocketConstructor = new (url: string) => WebSocketLike;

/** Hears of everything that goes over the wire, for an inspector. */
export type Trace = {
  /** `status` is null when the handshake failed: browsers don't tell why. */
  handshake?: (status: 101 | null, ms: number) => void;
  frame?: (direction: "in" | "out", name: string, seq: number | null, text: string) => void;
};

const OPEN = 1;
const CONNECT_WITHIN_MS = 15_000;
const PING_EVERY_MS = 30_000;
const ANSWER_WITHIN_MS = 10_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 20_000;
const WAIT_GROWTH = 1.6;
/** A failed handshake may be the token's fault: at the first and then at every so many failures that is looked into. */
const CHECK_TOKEN_EVERY = 3;
/** The codes by which Mattermost knows a client that missed its pong, or a frame. */
const CLOSE_NO_PONG = 4000;
const CLOSE_SEQUENCE = 4001;

export type Connection = {
  /** Opens the connection, or tries at once where it waits for its next try. */
  open(): void;
  close(): void;
  /** Sends an action without waiting for its answer; without a connection it is dropped. */
  send(action: string, data: Record<string, unknown>): void;
  /** Sends an action and resolves to the answer's data. @throws ChatError `offline` */
  ask(action: string, data: Record<string, unknown>, signal?: AbortSignal): Promise<unknown>;
};

/**
 * Creates the client's one websocket: it reconnects with growing pauses, resumes where it stopped so that no event is
 * lost or doubled, notices silence, and tells `gap` when events were lost.
 */
export function createConnection(options: {
  baseUrl: string;
  session: Session;
  events: EventList;
  WebSocket: WebSocketConstructor;
  trace: Trace;
  random?: () => number;
}): Connection {
  const { session, events, trace, random = Math.random } = options;
  let socket: WebSocketLike | null = null;
  let isWanted = false;
  let connectionId = "";
  let expectedSeq = 0;
  let ownSeq = 1;
  let failures = 0;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let pingTimer: ReturnType<typeof setInterval> | undefined;
  let silenceTimer: ReturnType<typeof setTimeout> | undefined;
  const asked = new Map<number, { resolve: (data: unknown) => void; reject: (error: unknown) => void }>();

  const address = () => {
    const url = new URL("/api/chat/websocket", options.baseUrl);
    url.protocol = url.protocol.replace("http", "ws");
    const token = session.token();
    if (token !== undefined) url.searchParams.set("token", token);
    if (connectionId !== "") {
      url.searchParams.set("connection_id", connectionId);
      url.searchParams.set("sequence_number", String(expectedSeq));
    }
    return url.href;
  };

  /** Lets go of the socket, whatever it says later. */
  const drop = (code = 1000, reason = "") => {
    clearTimeout(retryTimer);
    clearInterval(pingTimer);
    clearTimeout(silenceTimer);
    const offline = new ChatError({ code: "offline", status: 0, message: "The connection was lost." });
    for (const { reject } of asked.values()) reject(offline);
    asked.clear();
    const dropped = socket;
    socket = null;
    if (!dropped) return;
    dropped.onopen = dropped.onmessage = dropped.onclose = null;
    dropped.onerror = () => undefined;
    dropped.close(code, reason);
  };

  const post = (action: string, data: Record<string, unknown>): number | null => {
    if (socket?.readyState !== OPEN) return null;
    const seq = ownSeq++;
    const text = JSON.stringify({ seq, action, data });
    socket.send(text);
    trace.frame?.("out", action, seq, text);
    return seq;
  };

  const expectAnswer = (ms: number, code: number, reason: string) => {
    clearTimeout(silenceTimer);
    silenceTimer = setTimeout(() => retry(code, reason), ms);
  };

  const ping = () => {
    post("ping", {});
    expectAnswer(ANSWER_WITHIN_MS, CLOSE_NO_PONG, "no answer");
  };

  const onEvent = (frame: Frame) => {
    if (frame.event === "hello") {
      const isResumed = frame.data.connection_id === connectionId;
      connectionId = String(frame.data.connection_id ?? "");
      expectedSeq = frame.seq;
      if (!isResumed) events.tell("gap", {});
    }
    if (frame.seq !== expectedSeq) {
      connectionId = "";
      retry(CLOSE_SEQUENCE, "sequence");
      return;
    }
    expectedSeq += 1;
    events.tellFrame(frame);
  };

  const onMessage = (text: string) => {
    clearTimeout(silenceTimer);
    let frame: Partial<Frame> & { seq_reply?: number };
    try {
      frame = JSON.parse(text);
    } catch (error) {
      events.tell("error", error);
      return;
    }
    const { seq_reply: reply, event } = frame;
    trace.frame?.("in", event ?? "reply", frame.seq ?? reply ?? null, text);
    if (reply !== undefined) {
      asked.get(reply)?.resolve(frame.data);
      asked.delete(reply);
    }
    if (typeof event === "string")
      onEvent({
        event,
        seq: frame.seq ?? expectedSeq,
        data: frame.data ?? {},
        broadcast: frame.broadcast ?? {},
      });
  };

  /** Finds out whether a refused handshake is the token's fault, and gets another one then. */
  const checkToken = async () => {
    try {
      await session.call("/me");
    } catch (error) {
      if (!(error instanceof ChatError) || error.code !== "unauthorized") return;
      close();
      events.tell("error", error);
    }
  };

  const waitAndRetry = () => {
    failures += 1;
    events.tell("state", "waiting");
    const pauseMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * WAIT_GROWTH ** (failures - 1));
    clearTimeout(retryTimer);
    // Up to half of it is left to chance, so that a restarted server is not met by everybody at once.
    retryTimer = setTimeout(() => void connect(), pauseMs * (0.5 + random() / 2));
  };

  const connect = async () => {
    drop();
    events.tell("state", "connecting");
    try {
      await session.ready();
    } catch (error) {
      if (!isWanted) return;
      events.tell("error", error);
      waitAndRetry();
      return;
    }
    if (!isWanted) return;
    const startedAt = performance.now();
    let isUp = false;
    const opened = new options.WebSocket(address());
    socket = opened;
    expectAnswer(CONNECT_WITHIN_MS, 1000, "");
    opened.onopen = () => {
      isUp = true;
      failures = 0;
      clearTimeout(silenceTimer);
      trace.handshake?.(101, performance.now() - startedAt);
      events.tell("state", "open");
      pingTimer = setInterval(ping, PING_EVERY_MS);
    };
    opened.onmessage = ({ data }) => onMessage(String(data));
    opened.onerror = () => undefined;
    opened.onclose = () => {
      drop();
      if (!isUp) trace.handshake?.(null, performance.now() - startedAt);
      waitAndRetry();
      if (!isUp && failures % CHECK_TOKEN_EVERY === 1) void checkToken();
    };
  };

  const retry = (code: number, reason: string) => {
    drop(code, reason);
    waitAndRetry();
  };

  const close = () => {
    isWanted = false;
    drop();
    events.tell("state", "closed");
  };

  return {
    open() {
      isWanted = true;
      if (socket?.readyState !== OPEN) void connect();
    },
    close,
    send: (action, data) => {
      post(action, data);
    },
    ask(action, data, signal) {
      return new Promise((resolve, reject) => {
        const seq = signal?.aborted ? null : post(action, data);
        if (signal?.aborted) return reject(signal.reason);
        if (seq === null)
          return reject(new ChatError({ code: "offline", status: 0, message: "There is no connection." }));
        asked.set(seq, { resolve, reject });
        signal?.addEventListener(
          "abort",
          () => {
            asked.delete(seq);
            reject(signal.reason);
          },
          { once: true },
        );
      });
    },
  };
}
