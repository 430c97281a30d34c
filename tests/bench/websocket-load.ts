import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { WebSocket } from "ws";

const headers = { authorization: `Bearer ${"p".repeat(26)}` };
const AT_ONCE = 50;

/** The frames of a burst: their number, and the length of the post in each. */
export type Frames = { count: number; characters: number };

export type FanOut = {
  /** Makes the backend send these frames to each client, and returns the milliseconds until the last one arrived. @throws Error if a websocket closes before */
  burst(frames: Frames): Promise<number>;
  close(): Promise<void>;
};

/** Opens a websocket, and waits for its first message. @throws if it is refused */
export async function openSocket(address: string): Promise<WebSocket> {
  const socket = new WebSocket(address, { headers, perMessageDeflate: false });
  await once(socket, "message");
  // A server that cuts a client which has not read all it was sent resets its connection.
  socket.on("error", () => undefined);
  return socket;
}

/** Opens this many websockets, some at a time. */
export async function openSockets(address: string, count: number): Promise<WebSocket[]> {
  const sockets: WebSocket[] = [];
  while (sockets.length < count) {
    const batch = Array.from({ length: Math.min(AT_ONCE, count - sockets.length) }, () =>
      openSocket(address),
    );
    sockets.push(...(await Promise.all(batch)));
  }
  return sockets;
}

export async function closeSockets(sockets: readonly WebSocket[]): Promise<void> {
  await Promise.all(
    sockets.map(async (socket) => {
      if (socket.readyState === WebSocket.CLOSED) return;
      socket.close();
      await once(socket, "close");
    }),
  );
}

const ANSWER_LIMIT_MS = 5000;

/**
 * Waits until the backend has no open websocket, because a server between closes its own after its clients'. Returns
 * whether that came within `limitMs`.
 */
export async function untilAllClosed(backendUrl: string, limitMs: number): Promise<boolean> {
  const startedAtMs = performance.now();
  const isAnyOpen = async () => {
    const answer = await fetch(`${backendUrl}/open`, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
    return (await answer.text()) !== "0";
  };
  while (await isAnyOpen()) {
    if (performance.now() - startedAtMs >= limitMs) return false;
    await wait(250);
  }
  return true;
}

/** Opens this many websockets at `address`, which read what they are sent. */
export async function openFanOut(address: string, backendUrl: string, clients: number): Promise<FanOut> {
  const sockets = await openSockets(address, clients);
  let count = 0;
  let wanted = 0;
  let done: () => void = () => undefined;
  let lose: (error: Error) => void = () => undefined;
  for (const socket of sockets) {
    socket.on("message", () => {
      count++;
      if (count === wanted) done();
    });
    socket.on("close", () => lose(new Error(`${address} closed a websocket before its last frame`)));
  }
  return {
    async burst(frames) {
      count = 0;
      wanted = frames.count * clients;
      const all = new Promise<void>((resolve, reject) => {
        done = resolve;
        lose = reject;
      });
      const startedAtMs = performance.now();
      const asked = fetch(`${backendUrl}/burst?count=${frames.count}&characters=${frames.characters}`);
      await Promise.all([asked, all]);
      return performance.now() - startedAtMs;
    },
    close: () => closeSockets(sockets),
  };
}
