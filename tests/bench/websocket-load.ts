import { once } from "node:events";
import { WebSocket } from "ws";

const headers = { authorization: `Bearer ${"p".repeat(26)}` };
const AT_ONCE = 50;

export type FanOut = {
  /**
   * Makes the backend send this many frames to each client, and returns the milliseconds until the last one
   * arrived.
   */
  burst(frames: number): Promise<number>;
  close(): Promise<void>;
};

/** Opens this many websockets at `address`. */
export async function openFanOut(address: string, backendUrl: string, clients: number): Promise<FanOut> {
  const sockets: WebSocket[] = [];
  let count = 0;
  let wanted = 0;
  let done: () => void = () => undefined;
  while (sockets.length < clients) {
    const batch = Array.from({ length: Math.min(AT_ONCE, clients - sockets.length) }, async () => {
      const socket = new WebSocket(address, { headers, perMessageDeflate: false });
      await once(socket, "message");
      socket.on("message", () => {
        count++;
        if (count === wanted) done();
      });
      return socket;
    });
    sockets.push(...(await Promise.all(batch)));
  }
  return {
    async burst(frames) {
      count = 0;
      wanted = frames * clients;
      const all = new Promise<void>((resolve) => {
        done = resolve;
      });
      const startedAtMs = performance.now();
      await fetch(`${backendUrl}/burst?${frames}`);
      await all;
      return performance.now() - startedAtMs;
    },
    async close() {
      await Promise.all(
        sockets.map(async (socket) => {
          socket.close();
          await once(socket, "close");
        }),
      );
    },
  };
}
