import { expect, it } from "vitest";
import { createFrameQuota } from "#lib/chat/websocket/frame-quota.ts";

it("allows 60 frames in any 10 seconds, not in fixed intervals of the clock", () => {
  let nowMs = 0;
  const isAllowed = createFrameQuota(() => nowMs);
  const allowed = (count: number, atMs: number) => {
    nowMs = atMs;
    return Array.from({ length: count }, isAllowed).filter(Boolean).length;
  };
  expect(allowed(30, 5_000)).toBe(30);
  expect(allowed(30, 9_000)).toBe(30);
  expect(allowed(30, 15_000)).toBe(30);
  expect(allowed(1, 18_999)).toBe(0);
});

it("allows frames again after 10 seconds", () => {
  let nowMs = 0;
  const isAllowed = createFrameQuota(() => nowMs);
  for (let frame = 0; frame < 60; frame++) isAllowed();
  nowMs = 10_000;
  expect(isAllowed()).toBe(true);
});
