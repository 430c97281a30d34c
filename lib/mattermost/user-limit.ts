import { z } from "zod";
import { CodedError } from "../errors.ts";
import type { MattermostSession } from "./backend.ts";
import { BackendRefusal } from "./backend-error.ts";

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
    if (error instanceof CodedError && error.cause instanceof BackendRefusal) {
      const { status } = error.cause;
      if (status === 403 || status === 404) return null;
    }
    throw error;
  }
}

/** From this part of the limit on there is time to do something. */
const NEAR = 0.8;

/** Whether the next user is refused, or will soon be. */
export function standingOf({ active, limit }: UserLimit): "roomy" | "near" | "full" {
  if (active >= limit) return "full";
  return active >= limit * NEAR ? "near" : "roomy";
}

/** What to do about it. */
export const userLimitAdvice =
  "Deactivate chat users that are not needed (System Console > Users), or give Mattermost a licence for more.";
