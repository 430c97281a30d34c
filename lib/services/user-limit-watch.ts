import { createStaleWhileRevalidate } from "../async/stale-while-revalidate.ts";
import { answerWithin } from "../async/time-limits.ts";
import { log } from "../log.ts";
import { standingOf, type UserLimit, userLimitAdvice } from "../mattermost/user-limit.ts";

const READ_EVERY_MS = 60_000;
const PATIENCE_MS = 1000;

/** What a caller is told of it; how many users there are is not everybody's business. */
export type UserLimitWarning = "user_limit_near" | "user_limit_reached";

/**
 * Watches how near the chat server's users are to its limit, and tells the log when that changes. Reads at most once a
 * minute; keeps nobody longer than a second.
 */
export function createUserLimitWatch(
  read: () => Promise<UserLimit | null>,
): () => Promise<UserLimitWarning | null> {
  let told: ReturnType<typeof standingOf> = "roomy";
  const limit = createStaleWhileRevalidate(async () => {
    const known = await read();
    const standing = known ? standingOf(known) : "roomy";
    if (known && standing !== told) tell(known, standing);
    told = standing;
    return standing;
  }, READ_EVERY_MS);
  return async () => {
    try {
      return warnings[await answerWithin(PATIENCE_MS, limit)];
    } catch {
      // A server that can't tell now is asked again by the next.
      return null;
    }
  };
}

const warnings = { roomy: null, near: "user_limit_near", full: "user_limit_reached" } as const;

const words = {
  near: "is nearly full of users: at its limit nobody new can sign in",
  full: "is full of users: nobody new can sign in",
};

function tell(users: UserLimit, standing: ReturnType<typeof standingOf>): void {
  if (standing === "roomy") log().info(users, "the chat server has room for users again");
  else log().warn(users, `the chat server ${words[standing]}. ${userLimitAdvice}`);
}
