import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createThrottle } from "../../../lib/async/cache.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("runs immediately, and once more for all calls within the pause", () => {
  let acts = 0;
  const ask = createThrottle(() => {
    acts += 1;
  }, 1000);
  for (let i = 0; i < 500; i += 1) ask();
  expect(acts).toBe(1);
  vi.advanceTimersByTime(999);
  expect(acts).toBe(1);
  vi.advanceTimersByTime(1);
  expect(acts).toBe(2);
  vi.advanceTimersByTime(10_000);
  expect(acts).toBe(2);
  ask();
  expect(acts).toBe(3);
});
