import type { TokenTrust } from "../../http/token.ts";
import { log } from "../../log.ts";
import type { Logouts, OpenSockets } from "../access/logouts.ts";

const EVERY_MS = 5000;

export type LogoutWatch = {
  /**
   * Registers a websocket before Mattermost is dialed, so that later logouts close it and earlier ones do
   * not. Returns the function that removes it. Never rejects.
   */
  begin(): Promise<() => void>;
};

/**
 * Closes the websockets of users who logged out in other processes on the same store, and of PATs refused
 * there. Looks for them while any websocket is open.
 */
export function createLogoutWatch(logouts: Logouts, open: OpenSockets, tokens: TokenTrust): LogoutWatch {
  let watched = 0;
  let timer: NodeJS.Timeout | null = null;
  let looking: Promise<void> | null = null;

  const closeTaken = async () => {
    try {
      for (const subject of await logouts.take()) {
        open.closeOf(subject);
        tokens.refuse(subject);
      }
    } catch (error) {
      log().warn(
        { cause: (error as Error).name },
        "logouts in other processes cannot be read: the store is unreachable",
      );
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
