import { AsyncLocalStorage } from "node:async_hooks";
import { processWide } from "../async/process-wide.ts";
import { currentConfig } from "../config.ts";
import { createServices, type Services } from "./services.ts";

const serving = processWide("serving", () => new AsyncLocalStorage<Services>());

/**
 * The services of this process, made by whichever asks first: `server.ts`, or `instrumentation.ts` where Next listens
 * by itself. Next compiles copies of this module, which all find the same ones.
 */
export function processServices(): Services {
  return serving.getStore() ?? processWide("services", () => createServices(currentConfig()));
}

/** Runs what finds these services in place of the process's own: one process may serve several gateways. */
export function serveWith<Result>(services: Services, run: () => Result): Result {
  return serving.run(services, run);
}

/** Who listens in this process: the first that says so. */
export function listenerOf(claimant: "server.ts" | "next"): "server.ts" | "next" {
  return processWide("listener", () => claimant);
}
