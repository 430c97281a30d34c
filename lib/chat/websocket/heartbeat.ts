import type { WebSocket } from "ws";

/** Allows two silent rounds within the minute after which a dead peer must be cut. */
const EVERY_MS = 25_000;

export type Heartbeat = { watch(socket: WebSocket): void };

/** Pings all watched sockets each round, and cuts those that have sent nothing since the previous round. */
export function createHeartbeat(everyMs = EVERY_MS): Heartbeat {
  const isAlive = new Map<WebSocket, boolean>();
  let timer: NodeJS.Timeout | null = null;

  const beat = () => {
    for (const [socket, isLiving] of isAlive) {
      if (!isLiving) {
        socket.terminate();
        continue;
      }
      isAlive.set(socket, false);
      if (socket.readyState === socket.OPEN) socket.ping();
    }
  };

  return {
    watch(socket) {
      isAlive.set(socket, true);
      timer ??= setInterval(beat, everyMs).unref();
      const live = () => isAlive.set(socket, true);
      socket.on("message", live);
      socket.on("ping", live);
      socket.on("pong", live);
      socket.on("close", () => {
        isAlive.delete(socket);
        if (isAlive.size > 0 || timer === null) return;
        clearInterval(timer);
        timer = null;
      });
    },
  };
}
