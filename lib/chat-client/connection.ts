import type { EventList, Frame } from "./chat-events.ts";
import { ChatError, createDeadline, reasonOf, withQuery } from "./request.ts";
import type { ChatSession } from "./session.ts";

// biome-ignore lint/suspicious/noExplicitAny: every platform has event types of its own
type Listener = ((event: any) => void) | null;

/** The part of a WebSocket that is used; those of browsers, of Node 22 and of `ws` have it. */
export type WebSocketLike = {
  readonly readyState: number;
  send(text: string): void;
  close(code?: number, reason?: string): void;
  onopen: Listener;
  onmessage: Listener;
  onclose: Listener;
  onerror: Listener;
};
export type WebSocketConstructor = new (url: string) => WebSocketLike;

/** Observes everything that goes over the websocket, for an inspector; HTTP calls pass through the option `fetch`. */
export type Trace = {
  /** `status` is null if the handshake failed: browsers do not report why. */
  handshake?: (status: 101 | null, ms: number) => void;
  /** `name` is the event, the action or `reply`; the `seq` of a reply is that of its action. */
  frame?: (direction: "in" | "out", name: string, seq: number | null, text: string) => void;
};

const OPEN = 1;
const CONNECT_WITHIN_MS = 15_000;
const PING_EVERY_MS = 30_000;
const ANSWER_WITHIN_MS = 10_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 20_000;
const WAIT_GROWTH = 1.6;
/**
 * A connection that ends sooner counts as a failure, so that a server that accepts and drops connections is not
 * flooded.
 */
const STEADY_AFTER_MS = 5_000;
/**
 * A failed handshake may be the token's fault, so the token is checked after the first failure and after every
 * third one from then on.
 */
const CHECK_TOKEN_EVERY = 3;
/** The codes by which Mattermost recognizes a client that missed a pong or a frame. */
const CLOSE_NO_PONG = 4000;
const CLOSE_SEQUENCE = 4001;

export type Connection = {
  /** Opens the connection, or skips the pause before its next attempt; the signal closes it. */
  open(signal?: AbortSignal): void;
  /** Reopens the connection, even if it seems to be open, and resumes. */
  reopen(): void;
  /**
   * Closes the connection for good, and cancels a sign-in that no one else waits for. The next opening does
   * not resume.
   */
  close(): void;
  /** Sends an action without waiting for its answer, or drops it if there is no connection. */
  send(action: string, data: Record<string, unknown>): void;
  /** Sends an action and resolves to the answer's data. @throws ChatError `offline`, or `unreadable` for a refusal */
  ask(action: string, data: Record<string, unknown>, signal?: AbortSignal): Promise<unknown>;
};

type Reply = { seq_reply?: number; status?: string; data?: unknown };
type PendingReply = { resolve: (data: unknown) => void; reject: (error: unknown) => void };

const offline = (message: string) => new ChatError({ code: "offline", status: 0, message });

const notUpgraded = (cause: unknown) =>
  new ChatError({
    ...{ code: "invalid_upgrade", status: 0, cause },
    message:
      "The server answers, but no websocket can be opened. Whatever stands in between, a proxy or a firewall, has to pass upgrades on.",
  });

/**
 * Creates the client's only websocket. It reconnects with growing pauses, resumes where it stopped, and detects
 * a silent server. It emits `gap` when it starts over, as after the first connection, and `resumed` after a
 * resumption, in which Mattermost may still have dropped an event.
 */
export function createConnection(options: {
  session: ChatSession;
  events: EventList;
  WebSocket: WebSocketConstructor;
  trace: Trace;
  random?: () => number;
}): Connection {
  const { session, events, trace, random = Math.random } = options;
  let socket: WebSocketLike | null = null;
  let attempt = 0;
  let isWanted = false;
  let leaving = new AbortController();
  let isWaiting = false;
  let connectionId = "";
  let expectedSeq = 0;
  /** True until the server confirms the resumption. */
  let isResuming = false;
  let ownSeq = 1;
  let failures = 0;
  let refusals = 0;
  /**
   * True if the gateway has answered over HTTP since a handshake failed, so the token is not at fault.
   */
  let answersByHttp = false;
  let upSince = Number.POSITIVE_INFINITY;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let pingTimer: ReturnType<typeof setInterval> | undefined;
  let silenceTimer: ReturnType<typeof setTimeout> | undefined;
  const asked = new Map<number, PendingReply>();

  const address = () =>
    withQuery(`${session.baseUrl.replace(/^http/, "ws")}/api/chat/websocket`, {
      token: session.token(),
      ...(connectionId !== "" && { connection_id: connectionId, sequence_number: expectedSeq }),
    });

  /** Detaches the socket and ignores its later events. */
  const drop = (code = 1000, reason = "") => {
    attempt += 1;
    isWaiting = false;
    clearTimeout(retryTimer);
    clearInterval(pingTimer);
    clearTimeout(silenceTimer);
    for (const { reject } of asked.values()) reject(offline("The connection was lost."));
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

  const ping = () => {
    post("ping", {});
    clearTimeout(silenceTimer);
    silenceTimer = setTimeout(() => retry(CLOSE_NO_PONG, "no answer"), ANSWER_WITHIN_MS);
  };

  const tellResumed = () => {
    if (!isResuming) return;
    isResuming = false;
    events.tell("resumed", {});
  };

  const onEvent = (frame: Frame) => {
    if (frame.event === "hello") {
      const isSame = frame.data.connection_id === connectionId;
      connectionId = String(frame.data.connection_id ?? "");
      expectedSeq = frame.seq;
      if (!isSame) {
        isResuming = false;
        events.tell("gap", {});
      }
    }
    if (frame.seq !== expectedSeq) {
      connectionId = "";
      retry(CLOSE_SEQUENCE, "sequence");
      return;
    }
    expectedSeq += 1;
    tellResumed();
    events.tellFrame(frame);
  };

  const onReply = ({ seq_reply: seq = 0, status, data }: Reply) => {
    tellResumed();
    const waiting = asked.get(seq);
    asked.delete(seq);
    if (status === undefined || status === "OK") waiting?.resolve(data);
    else
      waiting?.reject(new ChatError({ code: "unreadable", status: 0, message: "The server refused this." }));
  };

  const onMessage = (text: string) => {
    clearTimeout(silenceTimer);
    let frame: Partial<Frame> & Reply;
    try {
      frame = JSON.parse(text);
    } catch (error) {
      events.tell("error", error);
      return;
    }
    const { seq_reply: reply, event, seq } = frame;
    trace.frame?.("in", event ?? "reply", seq ?? reply ?? null, text);
    if (reply !== undefined) onReply(frame);
    if (typeof event === "string") {
      const { data = {}, broadcast = {} } = frame;
      onEvent({ event, seq: seq ?? expectedSeq, data, broadcast });
    }
  };

  /** Checks whether the token caused a refused handshake, and replaces the token if so. */
  const checkToken = async () => {
    try {
      await session.me({ signal: leaving.signal });
      answersByHttp = true;
      if (isWaiting) void connect();
    } catch (error) {
      if (!(error instanceof ChatError) || !isWanted) return;
      if (error.status === 401) close();
      events.tell("error", error);
    }
  };

  const waitAndRetry = () => {
    if (performance.now() - upSince >= STEADY_AFTER_MS) failures = 0;
    upSince = Number.POSITIVE_INFINITY;
    failures += 1;
    isWaiting = true;
    events.tell("state", "waiting");
    const pauseMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * WAIT_GROWTH ** (failures - 1));
    // Up to half of the pause is random, so that not all clients hit a restarted server at once.
    retryTimer = setTimeout(() => void connect(), pauseMs * (0.5 + random() / 2));
  };

  const connect = async () => {
    drop();
    const own = attempt;
    events.tell("state", "connecting");
    let opened: WebSocketLike;
    try {
      await session.ready({ signal: leaving.signal });
      if (own !== attempt) return;
      opened = new options.WebSocket(address());
    } catch (error) {
      if (own !== attempt) return;
      events.tell("error", error);
      waitAndRetry();
      return;
    }
    const startedAt = performance.now();
    let isUp = false;
    let cause: unknown;
    socket = opened;
    const onEnd = () => {
      drop();
      if (!isUp) trace.handshake?.(null, performance.now() - startedAt);
      if (!isUp && answersByHttp) {
        answersByHttp = false;
        events.tell("error", notUpgraded(cause));
      }
      waitAndRetry();
      if (!isUp && refusals++ % CHECK_TOKEN_EVERY === 0) void checkToken();
    };
    silenceTimer = setTimeout(onEnd, CONNECT_WITHIN_MS);
    opened.onopen = () => {
      isUp = true;
      upSince = performance.now();
      refusals = 0;
      answersByHttp = false;
      clearTimeout(silenceTimer);
      trace.handshake?.(101, performance.now() - startedAt);
      events.tell("state", "open");
      pingTimer = setInterval(ping, PING_EVERY_MS);
      isResuming = connectionId !== "";
      // A server with nothing to send after a resumption only answers this ping.
      if (isResuming) ping();
    };
    opened.onmessage = ({ data }) => onMessage(String(data));
    // Browsers give no details here; Node's `ws` has the error.
    opened.onerror = (event) => {
      cause = event?.error;
    };
    opened.onclose = onEnd;
  };

  const retry = (code: number, reason: string) => {
    drop(code, reason);
    waitAndRetry();
  };

  const close = () => {
    if (!isWanted) return;
    isWanted = false;
    connectionId = "";
    failures = 0;
    refusals = 0;
    drop();
    leaving.abort();
    leaving = new AbortController();
    events.tell("state", "closed");
  };

  const reopen = () => {
    isWanted = true;
    void connect();
  };

  return {
    open(signal) {
      if (signal?.aborted) return;
      if (!isWanted || isWaiting) reopen();
      signal?.addEventListener("abort", close, leaving);
    },
    reopen,
    close,
    send: (action, data) => {
      post(action, data);
    },
    async ask(action, data, signal) {
      if (signal?.aborted) throw reasonOf(signal);
      const seq = post(action, data);
      if (seq === null) throw offline("There is no connection.");
      const deadline = createDeadline(session.timeoutMs, signal);
      try {
        return await new Promise((resolve, reject) => {
          asked.set(seq, { resolve, reject });
          deadline.signal.addEventListener("abort", () =>
            reject(signal?.aborted ? reasonOf(signal) : offline("The server did not answer in time.")),
          );
        });
      } finally {
        asked.delete(seq);
        deadline.release();
      }
    },
  };
}
