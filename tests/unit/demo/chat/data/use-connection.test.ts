import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createRefetchThrottle } from "#app/(demo)/_chat/data/use-connection.ts";

describe("reloading a list on events", () => {
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

  it("reloads immediately, and again immediately on an event some seconds later", async () => {
    const refetchThrottle = throttleOf();
    refetchThrottle.ask();
    expect(readings).toBe(1);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(readings).toBe(1);
    refetchThrottle.ask();
    expect(readings).toBe(2);
  });

  it("reloads once a second during many events, and once after the last", async () => {
    const refetchThrottle = throttleOf();
    for (let n = 0; n < 140; n += 1) {
      refetchThrottle.ask();
      await vi.advanceTimersByTimeAsync(20);
    }
    // The reads happen at 0, 1 and 2 s.
    expect(readings).toBe(3);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(readings).toBe(4);
  });

  it("reloads after a slow load, and never twice at a time", async () => {
    const refetchThrottle = throttleOf(4_500);
    refetchThrottle.ask();
    await vi.advanceTimersByTimeAsync(3_000);
    refetchThrottle.ask();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(readings).toBe(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(readings).toBe(2);
  });

  it("reloads after a failed load", async () => {
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

  it("stops reloading once the list is left", async () => {
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
