import PartySocket from "partysocket/ws";
import { wireLog } from "../../_wire/wire-log.ts";
import type { Frame } from "./model.ts";
import { readStatuses, type Statuses } from "./read-statuses.ts";

export type ConnectionState = "connecting" | "open" | "waiting" | "signed-out";

type Listeners = {
  onFrame: (frame: Frame) => void;
  onState: (state: ConnectionState) => void;
  /** Frames were missed and can't be had again: whatever is shown must be read anew. */
  onGap: () => void;
  /** The server refused the connection several times; a new chat token may help. */
  onRefused: () => void;
};

const PING_EVERY_MS = 30_000;
const ANSWER_WITHIN_MS = 10_000;
/** Every so many failed tries a new chat token is asked for. */
const REFUSED_AFTER_TRIES = 3;
/** The codes that the backend knows for a client that missed its pong or a frame. */
const CLOSE_NO_PONG = 4000;
const CLOSE_SEQUENCE = 4001;

/** The tab's one websocket: reconnects with back-off, resumes where it stopped, notices silence and gaps. */
export function createChatSocket(origin: string, listeners: Listeners) {
  let connectionId = "";
  let expectedSeq = 0;
  let ownSeq = 1;
  const asked = new Map<number, (data: unknown) => void>();
  let failedTries = 0;
  let triedAt = 0;
  let isUp = false;
  let pingTimer: ReturnType<typeof setInterval> | undefined;
  let answerTimer: ReturnType<typeof setTimeout> | undefined;

  const address = () => {
    triedAt = performance.now();
    const url = new URL("/api/chat/websocket", origin);
    url.protocol = url.protocol.replace("http", "ws");
    if (connectionId !== "") {
      url.searchParams.set("connection_id", connectionId);
      url.searchParams.set("sequence_number", String(expectedSeq));
    }
    return url.href;
  };

  const open = () => {
    const opened = new PartySocket(address, [], {
      minReconnectionDelay: 500,
      maxReconnectionDelay: 20_000,
      reconnectionDelayGrowFactor: 1.6,
      connectionTimeout: 15_000,
      maxEnqueuedMessages: 0,
    });
    opened.addEventListener("open", onOpen);
    opened.addEventListener("message", onMessage);
    opened.addEventListener("close", onClose);
    return opened;
  };

  const send = (action: string, data?: Record<string, unknown>, onAnswer?: (data: unknown) => void) => {
    if (socket.readyState !== PartySocket.OPEN) return;
    const seq = ownSeq++;
    if (onAnswer) asked.set(seq, onAnswer);
    const text = JSON.stringify({ seq, action, ...(data ? { data } : {}) });
    socket.send(text);
    wireLog.addFrame({ direction: "out", name: action, seq, text });
  };

  const stopTimers = () => {
    clearInterval(pingTimer);
    clearTimeout(answerTimer);
    asked.clear();
  };

  const ping = () => {
    send("ping");
    clearTimeout(answerTimer);
    answerTimer = setTimeout(() => socket.reconnect(CLOSE_NO_PONG, "no answer"), ANSWER_WITHIN_MS);
  };

  const onHello = (frame: Frame) => {
    // Also the first time: what was read while the connection was being made may be older than its first event.
    if (frame.data.connection_id !== connectionId) listeners.onGap();
    connectionId = String(frame.data.connection_id ?? "");
    expectedSeq = frame.seq;
  };

  const onEvent = (frame: Frame) => {
    if (frame.event === "hello") onHello(frame);
    if (frame.seq !== expectedSeq) {
      connectionId = "";
      socket.reconnect(CLOSE_SEQUENCE, "sequence");
      return;
    }
    expectedSeq += 1;
    listeners.onFrame(frame);
  };

  const recordHandshake = (status: number | null) =>
    wireLog.addStep({
      kind: "http",
      method: "GET",
      url: "/api/chat/websocket",
      status,
      ms: performance.now() - triedAt,
      headers: [],
    });

  const onOpen = () => {
    failedTries = 0;
    isUp = true;
    recordHandshake(101);
    listeners.onState("open");
    stopTimers();
    pingTimer = setInterval(ping, PING_EVERY_MS);
  };
  const onMessage = ({ data }: MessageEvent) => {
    clearTimeout(answerTimer);
    const text = String(data);
    const frame = JSON.parse(text) as Partial<Frame> & { seq_reply?: number };
    if (frame.seq_reply !== undefined) {
      asked.get(frame.seq_reply)?.(frame.data);
      asked.delete(frame.seq_reply);
    }
    const { event = "reply", seq = frame.seq_reply ?? null } = frame;
    wireLog.addFrame({ direction: "in", name: event, seq, text });
    if (typeof frame.event === "string")
      onEvent({ data: {}, broadcast: {}, seq: expectedSeq, ...frame } as Frame);
  };
  const onClose = () => {
    stopTimers();
    // The browser doesn't tell a page why a handshake failed.
    if (!isUp) recordHandshake(null);
    isUp = false;
    failedTries += 1;
    listeners.onState("waiting");
    if (failedTries % REFUSED_AFTER_TRIES === 0) listeners.onRefused();
  };

  let socket = open();

  const detach = () => {
    stopTimers();
    socket.removeEventListener("open", onOpen);
    socket.removeEventListener("message", onMessage);
    socket.removeEventListener("close", onClose);
    socket.close();
  };

  return {
    sendTyping: (channelId: string, parentId: string) =>
      send("user_typing", { channel_id: channelId, parent_id: parentId }),
    askStatuses: (userIds: string[], tell: (statuses: Statuses) => void) =>
      send("get_statuses_by_ids", { user_ids: userIds }, (data) => tell(readStatuses(data))),
    /** Tries at once, for a press on the banner's button or the browser's `online`; the library would sit out its wait. */
    retry: () => {
      detach();
      listeners.onState("connecting");
      socket = open();
    },
    close: detach,
  };
}

export type ChatSocket = ReturnType<typeof createChatSocket>;
