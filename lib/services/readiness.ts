import { createStaleWhileRevalidate } from "../async/cache.ts";
import { answerWithin } from "../async/time-limits.ts";
import type { Chat } from "../chat/caller/chat.ts";
import type { Readiness } from "../contract/answers.ts";
import { hasCode } from "../errors.ts";
import { type ClockCheck, createClockCheck } from "../hive/chain-state.ts";
import type { HiveClient } from "../hive/client.ts";
import type { HttpScope } from "../http/http-scope.ts";
import { log } from "../log.ts";
import { readUserLimit, standingOf, type UserLimit, userLimitAdvice } from "../mattermost/server-status.ts";
import type { Store } from "../store/store.ts";
import { readStanding } from "../x402/facilitator/chain-clock.ts";

const CACHED_MS = 2000;
const DEADLINE_MS = 3000;

type Parts = NonNullable<Readiness["parts"]>;
type Part = Parts["mattermost"] & Parts["chain"];
type UserLimitWarning = Part["warning"];

type Dependencies = { http: HttpScope; store: Store; hive: HiveClient; chat: () => Chat };

/** Checks Mattermost, store and chain, at most every 2 seconds, so that probes cause no load. */
export function createReadiness(dependencies: Dependencies): () => Promise<Readiness> {
  const clockCheck = createClockCheck();
  const watchUsers = createUserLimitWatch(() => readUserLimit(dependencies.chat().admin));
  let readAtMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<Readiness> = Promise.resolve({ status: "unavailable" });
  return async () => {
    if (dependencies.http.isDraining) return { status: "draining" };
    if (performance.now() - readAtMs > CACHED_MS) {
      readAtMs = performance.now();
      reading = read(dependencies, clockCheck, watchUsers);
    }
    return reading;
  };
}

async function read(
  dependencies: Dependencies,
  clockCheck: ClockCheck,
  watchUsers: () => Promise<UserLimitWarning>,
): Promise<Readiness> {
  const [answering, warning, store, chain] = await Promise.all([
    check(async () => {
      try {
        const { isServing, isDatabaseUp } = await dependencies.chat().serverStatus();
        return { ok: isServing, database: isDatabaseUp ? "ok" : "down" };
      } catch (error) {
        if (hasCode(error, "overloaded")) return { ok: false, warning: "rate_limited" };
        throw error;
      }
    }),
    watchUsers(),
    check(async () => {
      await dependencies.store.ping();
      return {};
    }),
    check(async () => {
      // A single node's answer signs no one in, so it does not count as an available chain.
      const { headTimeMs } = await readStanding(dependencies.hive, { isOneEnough: false });
      const { lagMs, isChainUp, aheadMs } = clockCheck.read(headTimeMs);
      return {
        ok: isChainUp,
        headAgeSeconds: Math.round(lagMs / 1000),
        ...(aheadMs !== 0 && { clockAheadSeconds: Math.round(aheadMs / 1000) }),
      };
    }),
  ]);
  const mattermost = { ...answering, ...(answering.ok && warning && { warning }) };
  const isServing = mattermost.ok && store.ok;
  const status = isServing ? (chain.ok ? "ok" : "degraded") : "unavailable";
  return { status, parts: { mattermost, store, chain } };
}

async function check(ask: () => Promise<Partial<Part>>): Promise<Part> {
  const startedAtMs = performance.now();
  const ms = () => Math.round(performance.now() - startedAtMs);
  try {
    const result = await answerWithin(DEADLINE_MS, ask);
    return { ok: true, ...result, ms: ms() };
  } catch {
    // The answer names the failing part, and the log of the failing requests has the reason.
    return { ok: false, ms: ms() };
  }
}

const READ_EVERY_MS = 60_000;
const PATIENCE_MS = 1000;

/**
 * Watches how close Mattermost's users are to its limit, and logs changes. Reads once a minute, or at the
 * next call after a failed read, and never delays a caller by more than a second.
 */
function createUserLimitWatch(read: () => Promise<UserLimit | null>): () => Promise<UserLimitWarning> {
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
      // If the server cannot answer now, the next call asks again.
      return undefined;
    }
  };
}

const warnings = { roomy: undefined, near: "user_limit_near", full: "user_limit_reached" } as const;

const words = {
  near: "is close to its user limit: once it is reached, new users cannot sign in",
  full: "has reached its user limit: new users cannot sign in",
};

function tell(users: UserLimit, standing: ReturnType<typeof standingOf>): void {
  if (standing === "roomy") log().info(users, "Mattermost has room for more users again");
  else log().warn(users, `Mattermost ${words[standing]}. ${userLimitAdvice}`);
}
