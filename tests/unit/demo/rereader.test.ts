import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createRereader } from "../../../app/(demo)/_chat/data/rereader.ts";

describe("a list that is read anew on events", () => {
  let readings: number;
  const rereaderOf = () =>
    createRereader(() => {
      readings += 1;
    });
  beforeEach(() => {
    vi.useFakeTimers();
    readings = 0;
  });
  afterEach(() => vi.useRealTimers());

  it("is read at once, and again at once when a second has passed", () => {
    const rereader = rereaderOf();
    rereader.ask();
    expect(readings).toBe(1);
    vi.advanceTimersByTime(5_000);
    expect(readings).toBe(1);
    rereader.ask();
    expect(readings).toBe(2);
  });

  it("is read once a second while events pour in, and once after the last", () => {
    const rereader = rereaderOf();
    for (let n = 0; n < 140; n += 1) {
      rereader.ask();
      vi.advanceTimersByTime(20);
    }
    // At 0, 1 and 2 s.
    expect(readings).toBe(3);
    vi.advanceTimersByTime(10_000);
    expect(readings).toBe(4);
  });

  it("is read no more once it is left", () => {
    const rereader = rereaderOf();
    rereader.ask();
    rereader.ask();
    rereader.stop();
    vi.advanceTimersByTime(10_000);
    expect(readings).toBe(1);
  });
});
