import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTimeLimit } from "#lib/x402/facilitator/deadline.ts";
import { type HeldTimers, holdTimers } from "../../../harness/hold-time.ts";

const LIMIT_MS = 4321;

let timers: HeldTimers;
beforeEach(() => {
  timers = holdTimers(LIMIT_MS);
});
afterEach(() => timers.release());

const never = () => new Promise<never>(() => {});
/** Handles a rejection at once, so that it may be awaited later. */
const outcomeOf = (work: Promise<unknown>) =>
  work.then(
    (value) => value,
    (error: { code?: unknown }) => error.code,
  );

describe("a time limit", () => {
  test("ends all work that began in one turn with chain_unavailable, and aborts its signals", async () => {
    const within = createTimeLimit(LIMIT_MS);
    const signals: AbortSignal[] = [];
    const works = Array.from({ length: 20 }, () =>
      outcomeOf(
        within((signal) => {
          signals.push(signal);
          return never();
        }),
      ),
    );
    expect(timers.count()).toBe(1);
    timers.end();
    expect(new Set(await Promise.all(works))).toEqual(new Set(["chain_unavailable"]));
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
  });

  test("still ends work that begins in the turn in which other work has ended", async () => {
    const within = createTimeLimit(LIMIT_MS);
    await within(async () => "done");
    const work = outcomeOf(within(never));
    expect(timers.count()).toBe(1);
    timers.end();
    expect(await work).toBe("chain_unavailable");
  });

  test("waits for the work that lasts longest", async () => {
    const within = createTimeLimit(LIMIT_MS);
    const long = outcomeOf(within(never));
    expect(await within(async () => "done")).toBe("done");
    timers.end();
    expect(await long).toBe("chain_unavailable");
  });

  test("holds no timer once its work has ended", async () => {
    const within = createTimeLimit(LIMIT_MS);
    expect(await Promise.all([within(async () => 1), within(async () => 2)])).toEqual([1, 2]);
    expect(timers.count()).toBe(0);
  });

  test("starts anew in a later turn", async () => {
    const within = createTimeLimit(LIMIT_MS);
    const early = outcomeOf(within(never));
    await new Promise((resolve) => setImmediate(resolve));
    const late = outcomeOf(within(never));
    expect(timers.count()).toBe(2);
    timers.end();
    expect([await early, await late]).toEqual(["chain_unavailable", "chain_unavailable"]);
  });
});
