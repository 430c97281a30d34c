import { introduceAllToNext } from "../http/introduce-to-next.ts";
import { warnOfPlainHttp } from "../http/plain-http.ts";
import { log } from "../log.ts";
import { endAfterNext } from "./process-end.ts";
import { listenerOf, processServices } from "./process-services.ts";

/**
 * Starts up as `server.ts` does if `next start` or `next dev` listens itself; has no effect under
 * `server.ts`.
 * @throws ConfigError that names every fault of the settings
 */
export function beginUnderNext(): void {
  if (listenerOf("next") !== "next") return;
  const services = processServices();
  warnOfPlainHttp(services.config);
  introduceAllToNext(services.http);
  services.start();
  log().warn("Next alone serves no websocket, so chats get no events. Start server.ts instead.");
  endAfterNext({
    drain: () => {
      services.http.isDraining = true;
    },
    close: services.close,
  });
}
