import { processWide } from "../async/process-wide.ts";
import { currentConfig } from "../config.ts";
import { createRoute } from "../http/route.ts";
import { createServices, type Services } from "./services.ts";

/**
 * Makes a route function of a gateway. The dispatcher hands it the gateway's services; Next, which calls route files
 * itself in development, has none to hand, so that there the process keeps them.
 */
export const route = createRoute<Services>(() =>
  processWide("services", () => createServices(currentConfig())),
);
