import { log } from "../../log.ts";
import type { Logouts, OpenSockets } from "../access/logouts.ts";

const EVERY_MS = 5000;

export type LogoutWatch = {
  /**
   * Notes a websocket before the backend is asked for it: logouts until then are none of its business, later ones
   * close it. Returns the function that ends that. Never rejects.
   */
  begin(): Promise<() => void>;
};

/** Closes the websockets of users who log out at another process on the same store; looks while there are any. */
export function createLogoutWatch(logouts: Logouts, open: OpenSockets): LogoutWatch {
  let watched = 0;
  let timer: NodeJS.Timeout | null = null;
  let looking: Promise<void> | null = null;

  const closeTaken = async () => {
    try {
      for (const userId of await logouts.take()) open.closeOf(userId);
    } catch (error) {
      log().warn({ cause: (error as Error).name }, "logouts elsewhere can't be seen: the store is away");
    } finally {
      looking = null;
    }
  };
  const look = () => {
    looking ??= closeTaken();
    return looking;
  };

  return {
    async begin() {
      watched += 1;
      timer ??= setInterval(() => void look(), EVERY_MS).unref();
      await look();
      return () => {
        watched -= 1;
        if (watched > 0 || timer === null) return;
        clearInterval(timer);
        timer = null;
      };
    },
  };
}
