import { randomInt } from "node:crypto";
import { WebSocket } from "ws";
import { z } from "zod";
import { CodedError } from "../../errors.ts";
import { MattermostRefusal } from "../../mattermost/exchange.ts";

export type Frame = { data: Buffer; isBinary: boolean };

/** An authenticated, paused connection to Mattermost. */
export type Upstream = {
  socket: WebSocket;
  challenge: Challenge;
  /** The owner's user id; null for a resumed connection, which starts without `hello`. */
  userId: string | null;
  /** Frames received so far, starting with `hello` if there is one. `stopCollecting` stops adding to them. */
  received: Frame[];
  stopCollecting(): void;
};

/** Thrown when Mattermost cuts the connection instead of sending `hello`, because it refuses the token or crashed. */
export class UpstreamCut extends Error {
  override readonly name = "UpstreamCut";
}

/** The largest accepted message; a post with all its metadata stays far below it. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const MAX_EARLY_FRAMES = 256;

const ServerEvent = z.object({
  event: z.string(),
  broadcast: z.object({ user_id: z.string() }).partial().nullish(),
});

/**
 * Dials Mattermost with the `Authorization` header (required to resume a connection) and the challenge, and waits until
 * Mattermost has accepted the token.
 * @throws UpstreamCut, CodedError `unauthorized`, `backend_unreachable`, `backend_timeout`; the signal's reason
 */
export function connectUpstream(options: {
  address: string;
  /** Added to the headers of the handshake. */
  headers: Readonly<Record<string, string>>;
  pat: string;
  requestId: string;
  isResume: boolean;
  timeoutMs: number;
  signal: AbortSignal;
}): Promise<Upstream> {
  const { address, pat, requestId, isResume, timeoutMs, signal } = options;
  const challenge = createChallenge(pat, isResume);
  const settings: WebSocket.ClientOptions & { closeTimeout: number } = {
    headers: { ...options.headers, authorization: `Bearer ${pat}`, "x-request-id": requestId },
    perMessageDeflate: false,
    followRedirects: false,
    skipUTF8Validation: true,
    maxPayload: MAX_MESSAGE_BYTES,
    closeTimeout: CLOSE_TIMEOUT_MS,
  };
  const socket = new WebSocket(address, settings);
  const received: Frame[] = [];

  return new Promise<Upstream>((resolve, reject) => {
    const fail = (reason: unknown) => {
      stopWaiting();
      socket.off("message", collect);
      socket.terminate();
      reject(reason);
    };
    const succeed = (userId: string | null) => {
      stopWaiting();
      socket.pause();
      resolve({ socket, challenge, userId, received, stopCollecting: () => socket.off("message", collect) });
    };
    let isReady = false;
    const stopWaiting = () => {
      isReady = true;
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      socket.off("close", onClose);
    };
    const onAbort = () => fail(signal.reason);
    const onClose = () => fail(new UpstreamCut());
    const timer = setTimeout(() => fail(new CodedError("backend_timeout")), timeoutMs);

    const collect = (data: Buffer, isBinary: boolean) => {
      const reply = isBinary ? null : challenge.readReply(data);
      if (!reply) received.push({ data, isBinary });
      if (isReady) return;
      if (reply && reply.status !== "OK") return fail(new CodedError("unauthorized"));
      if (reply) return void (isResume && succeed(null));
      const event = readEvent(data);
      if (!event || received.length > MAX_EARLY_FRAMES) return fail(new CodedError("backend_unreachable"));
      if (event.event === "hello") succeed(event.broadcast?.user_id || null);
      else if (isResume) succeed(null);
    };

    signal.addEventListener("abort", onAbort);
    socket.on("message", collect);
    socket.on("open", () => {
      socket.on("close", onClose);
      for (const frame of challenge.frames) socket.send(frame);
    });
    socket.on("unexpected-response", (request, response) => {
      request.destroy();
      fail(refusedBy(response.statusCode ?? 0));
    });
    // This listener stays attached for the life of the socket: `terminate` while connecting also emits an
    // error.
    socket.on("error", (cause) => {
      if (!isReady && socket.readyState !== WebSocket.OPEN)
        fail(new CodedError("backend_unreachable", { cause }));
    });
    if (signal.aborted) onAbort();
  });
}

function refusedBy(status: number): CodedError {
  const cause = new MattermostRefusal(status, "upgrade");
  if (status === 429) return new CodedError("overloaded", { cause });
  return new CodedError(status === 401 ? "unauthorized" : "backend_unreachable", { cause });
}

function readEvent(data: Buffer): z.infer<typeof ServerEvent> | undefined {
  try {
    return ServerEvent.safeParse(JSON.parse(data.toString())).data;
  } catch {
    return undefined;
  }
}

/** The time that a peer has to answer a close frame before its connection is cut. */
export const CLOSE_TIMEOUT_MS = 900;

/**
 * Returns whether a close frame can carry a code. 1005, 1006 and 1015 stand for closes without one (RFC 6455,
 * 7.4.1).
 */
function isSendable(code: number): boolean {
  return (
    (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999)
  );
}

/**
 * Maps a close code to one of few labels: clients can choose any of 2,000 codes in addition to the protocol's
 * own.
 */
export function labelOfClose(code: number): string {
  if (code < 3000) return String(code);
  return code < 4000 ? "3xxx" : "4xxx";
}

/** Forwards a close to the other side. */
export function forwardClose(peer: WebSocket, code: number, reason: Buffer | string): void {
  // A paused peer would never see the answer to its close frame.
  peer.resume();
  if (isSendable(code)) peer.close(code, reason);
  else peer.close();
}

/** Replies are short. Anything longer is an event, and is not parsed. */
const MAX_REPLY_BYTES = 1024;

const Reply = z.object({ seq_reply: z.number(), status: z.string() });

/** The messages that the gateway itself exchanges with Mattermost on a client's connection. */
type Challenge = {
  /** The frames to send once the connection is open. */
  frames: readonly string[];
  /** Returns the status of a reply to one of these frames, or null for messages that belong to the client. */
  readReply(data: Buffer): { status: string } | null;
};

/**
 * Answers the authentication challenge. Its `seq` is a large random number, because clients choose their
 * first number, and a Mattermost that accepted the header never replies to the challenge. `asksForSign` adds
 * a ping, because a resumed connection gets no `hello`, and no frame at all if it missed no event.
 */
function createChallenge(pat: string, asksForSign: boolean): Challenge {
  const seq = randomInt(2 ** 40, 2 ** 47);
  const pending = new Set(asksForSign ? [seq, seq + 1] : [seq]);
  const frames = [JSON.stringify({ seq, action: "authentication_challenge", data: { token: pat } })];
  if (asksForSign) frames.push(JSON.stringify({ seq: seq + 1, action: "ping" }));
  return {
    frames,
    readReply(data) {
      if (pending.size === 0 || data.byteLength > MAX_REPLY_BYTES || !data.includes('"seq_reply"'))
        return null;
      const reply = Reply.safeParse(parse(data)).data;
      return reply && pending.delete(reply.seq_reply) ? { status: reply.status } : null;
    },
  };
}

function parse(data: Buffer): unknown {
  try {
    return JSON.parse(data.toString());
  } catch {
    return undefined;
  }
}
