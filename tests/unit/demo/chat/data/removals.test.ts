import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Post } from "#app/(demo)/_chat/data/model.ts";
import { createRemovals } from "#app/(demo)/_chat/data/removals.ts";

const post = { id: "p".repeat(26), channelId: "c".repeat(26) } as Post;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function recordRemovals() {
  const removed: string[] = [];
  const removals = createRemovals(async ({ id }) => {
    removed.push(id);
  }, 5_000);
  return { removals, removed };
}

test("deletes once, when the undo period is over", async () => {
  const { removals, removed } = recordRemovals();
  removals.start(post);
  removals.start(post);
  await vi.advanceTimersByTimeAsync(4_999);
  expect(removed).toEqual([]);
  expect(removals.snapshot().has(post.id)).toBe(true);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(removed).toEqual([post.id]);
  expect(removals.snapshot().has(post.id)).toBe(false);
});

test("does not delete after an undo, and can delete later", async () => {
  const { removals, removed } = recordRemovals();
  removals.start(post);
  removals.undo(post.id);
  expect(removals.snapshot().has(post.id)).toBe(false);
  await vi.advanceTimersByTimeAsync(60_000);
  await removals.flush();
  expect(removed).toEqual([]);
  removals.start(post);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(removed).toEqual([post.id]);
});

test("deletes waiting posts immediately, and only once, when the page is left", async () => {
  const { removals, removed } = recordRemovals();
  removals.start(post);
  await removals.flush();
  expect(removed).toEqual([post.id]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(removed).toEqual([post.id]);
});

test("notifies listeners of start and end until they unsubscribe", async () => {
  const { removals } = recordRemovals();
  const listener = vi.fn();
  const leave = removals.subscribe(listener);
  removals.start(post);
  expect(listener).toHaveBeenCalledTimes(1);
  removals.undo(post.id);
  expect(listener).toHaveBeenCalledTimes(2);
  leave();
  removals.start(post);
  expect(listener).toHaveBeenCalledTimes(2);
});
