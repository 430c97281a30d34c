import { z } from "zod";
import { createFreshAnswers } from "../async/cache.ts";
import { CodedError, hasCode } from "../errors.ts";
import type { Secret } from "../secret.ts";
import { MattermostRefusal } from "./exchange.ts";
import type { Mattermost, MattermostCaller } from "./mattermost.ts";

const TIMEOUT_MS = 2500;
/**
 * The deadline of the report, which tests file storage too; if that hangs, the database is checked in another
 * way.
 */
const REPORT_TIMEOUT_MS = 1000;
const READ_TIMEOUT_MS = TIMEOUT_MS - REPORT_TIMEOUT_MS;
/** The pause between requests, because the server writes to its database for each answer. */
const PAUSE_MS = 250;

const Ping = z.object({ status: z.string() });
/**
 * The part of a report that is used: its `status` covers file storage too, which chat does not need. Older
 * servers report no database status.
 */
const Report = z.object({ database_status: z.string().default("OK") });

/** The server's statistics, which it counts again for each answer. */
const UserStats = z.object({ total_users_count: z.number() });

const OK = "OK";

/** The status of a server; `isServing` is true if it works. */
export type ServerStatus = { isServing: boolean; isDatabaseUp: boolean };

/**
 * Creates a reader of a server's status, which shares answers among concurrent callers and rejects with a
 * CodedError if the server does not answer.
 */
export function createServerStatus(mattermost: Mattermost, adminToken: Secret): () => Promise<ServerStatus> {
  return createFreshAnswers(() => readServerStatus(mattermost, adminToken), PAUSE_MS);
}

/**
 * Asks a server for the status of itself and its database. @throws CodedError `overloaded` if it limits its
 * callers, another code if it does not answer
 */
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

/**
 * Returns whether the database is up: from the server's report or, if that does not arrive, by reading. @throws
 * CodedError
 */
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

/** The number of active users, and the maximum. */
export type UserLimit = { active: number; limit: number };

/**
 * Reads how many users a server accepts, which current unlicensed servers limit. Null if there is no limit,
 * or if the server does not report it, which older servers never do, and others only for a token with that
 * right.
 * @throws CodedError
 */
export async function readUserLimit(admin: MattermostCaller): Promise<UserLimit | null> {
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

/** The share of a limit above which to warn, while there is still time to act. */
const NEAR = 0.8;

/** Returns whether there is room for more users, little room, or none. */
export function standingOf({ active, limit }: UserLimit): "roomy" | "near" | "full" {
  if (active >= limit) return "full";
  return active >= limit * NEAR ? "near" : "roomy";
}

/** Advice on exempting a gateway, whose many users share one address. */
export const rateLimitAdvice =
  "It counts all users of the gateway as one address: turn off System Console > Environment > Rate Limiting (RateLimitSettings.Enable), or vary it by user (VaryByUser) instead of by address (VaryByRemoteAddr).";

/** Advice for reaching the limit of users. */
export const userLimitAdvice =
  "Deactivate unused chat users (System Console > Users), or get a Mattermost license for more.";
