import { z } from "zod";
import { createFreshAnswers } from "../async/cache.ts";
import type { Backend } from "./backend.ts";

const TIMEOUT_MS = 2500;
/** The server writes to its database for each answer. */
const PAUSE_MS = 250;

const Ping = z.object({ status: z.string() });
/** Its `status` speaks of the files too, without which chat goes on; servers of old name no database. */
const Report = z.object({ database_status: z.string().default("OK") });

const OK = "OK";

/** How a server is: `isServing` when it does its work. */
export type ServerStatus = { isServing: boolean; isDatabaseUp: boolean };

/** Asks a server, however many ask at once, how it and its database are. @throws CodedError when it gives no answer */
export function createServerStatus(backend: Backend): () => Promise<ServerStatus> {
  return createFreshAnswers(() => readServerStatus(backend), PAUSE_MS);
}

/** Asks a server how it and its database are. @throws CodedError when it gives no answer */
export async function readServerStatus(backend: Backend): Promise<ServerStatus> {
  const [ping, report] = await Promise.allSettled([
    backend.askOpenly("/system/ping", Ping, TIMEOUT_MS),
    backend.askOpenly("/system/ping?get_server_status=true&use_rest_semantics=true", Report, TIMEOUT_MS),
  ]);
  if (ping.status === "rejected") throw ping.reason;
  const isFine = ping.value.status === OK;
  // Who answers at once, but not when asked for its database, waits for that.
  const isDatabaseUp = report.status === "fulfilled" && report.value.database_status === OK;
  return { isServing: isFine && isDatabaseUp, isDatabaseUp };
}
