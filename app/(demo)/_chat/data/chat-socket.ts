import PartySocket from "partysocket/ws";
import type { Frame } from "./model.ts";

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
  let failedTries = 0;
  let pingTimer: ReturnType<typeof setInterval> | undefined;
  let answerTimer: ReturnType<typeof setTimeout> | undefined;

  const address = () => {
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

  const send = (action: string, data?: Record<string, unknown>) => {
    if (socket.readyState !== PartySocket.OPEN) return;
    socket.send(JSON.stringify({ seq: ownSeq++, action, ...(data ? { data } : {}) }));
  };

  const stopTimers = () => {
    clearInterval(pingTimer);
    clearTimeout(answerTimer);
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

  const onOpen = () => {
    failedTries = 0;
    listeners.onState("open");
    stopTimers();
    pingTimer = setInterval(ping, PING_EVERY_MS);
  };
  const onMessage = ({ data }: MessageEvent) => {
    clearTimeout(answerTimer);
    const frame = JSON.parse(String(data)) as Partial<Frame>;
    if (typeof frame.event === "string")
      onEvent({ data: {}, broadcast: {}, seq: expectedSeq, ...frame } as Frame);
  };
  const onClose = () => {
    stopTimers();
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
