import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createRefetchThrottle } from "#app/(demo)/_chat/data/use-connection.ts";

describe("a list that is read again on events", () => {
  let readings: number;
  const throttleOf = (takesMs = 0) =>
    createRefetchThrottle(async () => {
      readings += 1;
      await new Promise((resolve) => setTimeout(resolve, takesMs));
    });
  beforeEach(() => {
    vi.useFakeTimers();
    readings = 0;
  });
  afterEach(() => vi.useRealTimers());

  it("is read at once, and again at once when a second has passed", async () => {
    const refetchThrottle = throttleOf();
    refetchThrottle.ask();
    expect(readings).toBe(1);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(readings).toBe(1);
    refetchThrottle.ask();
    expect(readings).toBe(2);
  });

  it("is read once a second while events pour in, and once after the last", async () => {
    const refetchThrottle = throttleOf();
    for (let n = 0; n < 140; n += 1) {
      refetchThrottle.ask();
      await vi.advanceTimersByTimeAsync(20);
    }
    // At 0, 1 and 2 s.
    expect(readings).toBe(3);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(readings).toBe(4);
  });

  it("is read again when a reading is done that took longer than a second, never twice at a time", async () => {
    const refetchThrottle = throttleOf(4_500);
    refetchThrottle.ask();
    await vi.advanceTimersByTimeAsync(3_000);
    refetchThrottle.ask();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(readings).toBe(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(readings).toBe(2);
  });

  it("is read again after a reading that failed", async () => {
    let tries = 0;
    const refetchThrottle = createRefetchThrottle(() => {
      tries += 1;
      return Promise.reject(new Error("away"));
    });
    refetchThrottle.ask();
    refetchThrottle.ask();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(tries).toBe(2);
  });

  it("is read no more once it is left", async () => {
    const refetchThrottle = throttleOf();
    refetchThrottle.ask();
    refetchThrottle.ask();
    refetchThrottle.stop();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(readings).toBe(1);
    refetchThrottle.ask();
    expect(readings).toBe(1);
  });
});
