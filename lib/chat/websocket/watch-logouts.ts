import type { WebSocket } from "ws";
import { log } from "../../log.ts";
import type { Logouts } from "../access/logouts.ts";
import type { OpenSockets } from "../access/open-sockets.ts";

const EVERY_MS = 5000;
/** How far apart the clocks of processes may be. */
const SKEW_MS = 5000;

export type LogoutWatch = { watch(socket: WebSocket): void };

/** Closes the websockets of users who log out at another process on the same store; looks while there are any. */
export function createLogoutWatch(logouts: Logouts, open: OpenSockets): LogoutWatch {
  const sockets = new Set<WebSocket>();
  let timer: NodeJS.Timeout | null = null;
  let isLooking = false;

  const look = async (sinceMs: number) => {
    if (isLooking) return;
    isLooking = true;
    try {
      for (const userId of await logouts.take(sinceMs)) open.closeOf(userId);
    } catch (error) {
      log().warn({ cause: (error as Error).name }, "logouts elsewhere can't be seen: the store is away");
    } finally {
      isLooking = false;
    }
  };

  return {
    watch(socket) {
      sockets.add(socket);
      const sinceMs = Date.now() - SKEW_MS;
      timer ??= setInterval(() => void look(sinceMs), EVERY_MS).unref();
      socket.on("close", () => {
        sockets.delete(socket);
        if (sockets.size > 0 || timer === null) return;
        clearInterval(timer);
        timer = null;
      });
    },
  };
}
