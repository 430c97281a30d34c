import { introduceAllToNext } from "../http/introduce-to-next.ts";
import { warnOfPlainHttp } from "../http/plain-http.ts";
import { log } from "../log.ts";
import { listenerOf, processServices } from "./process-services.ts";

/**
 * Begins what `server.ts` begins, where `next start` or `next dev` listens by itself; under `server.ts` it does nothing.
 * @throws ConfigError naming every fault of the settings
 */
export function beginUnderNext(): void {
  if (listenerOf("next") !== "next") return;
  const services = processServices();
  warnOfPlainHttp(services.config);
  introduceAllToNext(services.http);
  services.start();
  log().warn("Next listens: there is no websocket, so chats get no events. Start server.ts to have it.");
  // Next ends the process itself once its requests are answered; payments in work are taken up at the next start.
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.once(signal, () => {
      services.http.isDraining = true;
      services.close().catch((err: unknown) => log().error({ err }, "shutdown failed"));
    });
}
