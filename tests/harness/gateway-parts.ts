/** The parts that `server.ts` and tests assemble a gateway from. */
export { routes } from "../../app/api/routes.ts";
export { createChatUpgrade } from "../../lib/chat/websocket/upgrade.ts";
export { loadConfig } from "../../lib/config.ts";
export { createDispatcher } from "../../lib/http/dispatch.ts";
export { createHttpServer } from "../../lib/http/http-server.ts";
export { serveWith } from "../../lib/services/process-services.ts";
export { createServices } from "../../lib/services/services.ts";
