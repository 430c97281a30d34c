import { describe, expect, it } from "vitest";
import { createClockCheck } from "../../../lib/hive/chain-state.ts";

const SECOND_MS = 1000;
const BIRTH_MS = Date.UTC(2026, 0, 1);

/** Starts a chain with a block every three seconds, and a machine whose clock is `aheadMs` ahead of it. */
function startWorld(aheadMs: number) {
  let passedMs = 0;
  let standsFromMs = Number.POSITIVE_INFINITY;
  const world = { aheadMs };
  const check = createClockCheck(
    () => passedMs,
    () => BIRTH_MS + passedMs + world.aheadMs,
  );
  const headTimeMs = () =>
    BIRTH_MS + Math.floor(Math.min(passedMs, standsFromMs) / (3 * SECOND_MS)) * 3 * SECOND_MS;
  return Object.assign(world, {
    /** Lets time pass, and reads the head. */
    after(ms: number) {
      passedMs += ms;
      return check.read(headTimeMs());
    },
    stand() {
      standsFromMs = passedMs;
    },
  });
}

describe("this machine's clock against the chain's", () => {
  it.each([0, 4, -4])(
    "accepts a difference of up to five seconds (%s s ahead), whatever the head's age",
    (seconds) => {
      const world = startWorld(seconds * SECOND_MS);
      for (let reading = 0; reading < 60; reading++)
        expect(world.after(1700)).toMatchObject({ isChainUp: true, aheadMs: 0 });
    },
  );

  it.each([
    ["ahead", 7 * SECOND_MS],
    ["an hour ahead", 3600 * SECOND_MS],
    ["behind", -7 * SECOND_MS],
    ["eight days behind", -8 * 86_400 * SECOND_MS],
  ])("reports a clock that is %s while the chain is healthy", (_, aheadMs) => {
    const world = startWorld(aheadMs);
    for (let reading = 0; reading < 8; reading++) world.after(1700);
    const verdict = world.after(1700);
    expect(verdict.isChainUp).toBe(true);
    expect(Math.abs(verdict.aheadMs - aheadMs)).toBeLessThanOrEqual(2 * SECOND_MS);
  });

  it("reports a wrong clock from the first reading after a step, and a right one once it is corrected", () => {
    const world = startWorld(0);
    for (let reading = 0; reading < 8; reading++) world.after(1700);
    world.aheadMs = -60 * SECOND_MS;
    expect(world.after(1700).aheadMs).toBeLessThan(-55 * SECOND_MS);
    world.aheadMs = 0;
    expect(world.after(1700).aheadMs).toBe(0);
  });

  it("does not blame the clock for a single late head, or for a stopped chain", () => {
    const world = startWorld(0);
    world.after(3 * SECOND_MS);
    world.after(1700);
    world.stand();
    for (let reading = 0; reading < 38; reading++)
      expect(world.after(1500)).toMatchObject({ isChainUp: true, aheadMs: 0 });
    expect(world.after(3 * SECOND_MS)).toMatchObject({ isChainUp: false, aheadMs: 0 });
  });

  it("blames the chain for a difference of a minute until the chain moves", () => {
    const world = startWorld(61 * SECOND_MS);
    expect(world.after(0)).toMatchObject({ isChainUp: false, aheadMs: 0 });
    expect(world.after(3 * SECOND_MS).isChainUp).toBe(true);
  });

  it("does not blame the clock when a node catches up", () => {
    let nowMs = 0;
    const check = createClockCheck(
      () => nowMs,
      () => BIRTH_MS + nowMs,
    );
    for (let reading = 0; reading < 20; reading++) {
      nowMs += 2 * SECOND_MS;
      const verdict = check.read(BIRTH_MS - 3600 * SECOND_MS + reading * 100 * SECOND_MS);
      if (reading > 0) expect(verdict).toMatchObject({ isChainUp: false, aheadMs: 0 });
    }
  });
});
