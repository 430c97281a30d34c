import { AsyncLocalStorage } from "node:async_hooks";
import { processWide } from "../async/process-wide.ts";
import { currentConfig } from "../config.ts";
import { createServices, type Services } from "./services.ts";

const serving = processWide("serving", () => new AsyncLocalStorage<Services>());

/**
 * Returns the services of this process, created by the first caller: `server.ts`, or `instrumentation.ts` if
 * Next listens by itself. Next compiles copies of this module, all of which return the same services.
 */
export function processServices(): Services {
  return serving.getStore() ?? processWide("services", () => createServices(currentConfig()));
}

/**
 * Runs a function that gets these services instead of the process's own, because one process can serve
 * several gateways.
 */
export function serveWith<Result>(services: Services, run: () => Result): Result {
  return serving.run(services, run);
}

/** Returns which code listens in this process: the first to claim it. */
export function listenerOf(claimant: "server.ts" | "next"): "server.ts" | "next" {
  return processWide("listener", () => claimant);
}
