import { z } from "zod";
import { createFreshAnswers } from "../async/cache.ts";
import { CodedError, hasCode } from "../errors.ts";
import type { Secret } from "../secret.ts";
import { MattermostRefusal } from "./exchange.ts";
import type { Mattermost, MattermostSession } from "./mattermost.ts";

const TIMEOUT_MS = 2500;
/** The report tests the files as well, so a server that waits for those is asked otherwise. */
const REPORT_TIMEOUT_MS = 1000;
const READ_TIMEOUT_MS = TIMEOUT_MS - REPORT_TIMEOUT_MS;
/** The server writes to its database for each answer. */
const PAUSE_MS = 250;

const Ping = z.object({ status: z.string() });
/** Its `status` speaks of the files too, without which chat goes on; servers of old name no database. */
const Report = z.object({ database_status: z.string().default("OK") });

/** Counted again for each answer. */
const UserStats = z.object({ total_users_count: z.number() });

const OK = "OK";

/** How a server is: `isServing` when it does its work. */
export type ServerStatus = { isServing: boolean; isDatabaseUp: boolean };

/** Asks a server, however many ask at once, how it and its database are. @throws CodedError when it gives no answer */
export function createServerStatus(mattermost: Mattermost, adminToken: Secret): () => Promise<ServerStatus> {
  return createFreshAnswers(() => readServerStatus(mattermost, adminToken), PAUSE_MS);
}

/** Asks a server how it and its database are. @throws CodedError `overloaded` when it limits its callers, others when it gives no answer */
export async function readServerStatus(mattermost: Mattermost, adminToken: Secret): Promise<ServerStatus> {
  const [ping, isDatabaseUp] = await Promise.allSettled([
    mattermost.askOpenly("/system/ping", Ping, TIMEOUT_MS),
    readDatabaseStatus(mattermost, adminToken),
  ]);
  if (ping.status === "rejected") throw ping.reason;
  if (isDatabaseUp.status === "rejected" && hasCode(isDatabaseUp.reason, "overloaded"))
    throw isDatabaseUp.reason;
  const isUp = isDatabaseUp.status === "fulfilled" && isDatabaseUp.value;
  return { isServing: ping.value.status === OK && isUp, isDatabaseUp: isUp };
}

/** Whether the database is up: by the server's report or, where that does not come, by reading. @throws CodedError */
async function readDatabaseStatus(mattermost: Mattermost, adminToken: Secret): Promise<boolean> {
  try {
    const path = "/system/ping?get_server_status=true&use_rest_semantics=true";
    return (await mattermost.askOpenly(path, Report, REPORT_TIMEOUT_MS)).database_status === OK;
  } catch {
    const admin = mattermost.asAdmin(adminToken.reveal(), AbortSignal.timeout(READ_TIMEOUT_MS));
    await admin.call("GET", "/users/stats", UserStats);
    return true;
  }
}

const Limits = z.object({ activeUserCount: z.number(), maxUsersHardLimit: z.number().default(0) });

/** How many users are active, and how many may be. */
export type UserLimit = { active: number; limit: number };

/**
 * Reads how many users a server takes, which unlicensed ones of today limit: null where there is no limit, or the server
 * tells none, as older ones don't, and none does to a token without the right to it.
 * @throws CodedError
 */
export async function readUserLimit(admin: MattermostSession): Promise<UserLimit | null> {
  try {
    const { activeUserCount, maxUsersHardLimit } = await admin.call("GET", "/limits/server", Limits);
    return maxUsersHardLimit > 0 ? { active: activeUserCount, limit: maxUsersHardLimit } : null;
  } catch (error) {
    if (error instanceof CodedError && error.cause instanceof MattermostRefusal) {
      const { status } = error.cause;
      if (status === 403 || status === 404) return null;
    }
    throw error;
  }
}

/** The share of a limit from which to warn, while there is still time to act. */
const NEAR = 0.8;

/** Whether the next user is refused, or will soon be. */
export function standingOf({ active, limit }: UserLimit): "roomy" | "near" | "full" {
  if (active >= limit) return "full";
  return active >= limit * NEAR ? "near" : "roomy";
}

/** How to let a gateway through, whose many users come from one address. */
export const rateLimitAdvice =
  "It counts all users of the gateway as one address: turn off System Console > Environment > Rate Limiting (RateLimitSettings.Enable), or vary it by user (VaryByUser) instead of by address (VaryByRemoteAddr).";

/** What to do about it. */
export const userLimitAdvice =
  "Deactivate chat users that are not needed (System Console > Users), or give Mattermost a licence for more.";
