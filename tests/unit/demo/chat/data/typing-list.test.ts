import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createTypingList } from "#app/(demo)/_chat/data/presence.ts";

describe("typing list", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const names = (list: ReturnType<typeof createTypingList>) => list.snapshot().map(({ userId }) => userId);

  it("removes a person after five seconds", () => {
    const list = createTypingList();
    list.start("room", "", "bob");
    vi.advanceTimersByTime(3_000);
    list.start("room", "", "bob");
    list.start("room", "", "eve");
    vi.advanceTimersByTime(4_000);
    expect(names(list)).toEqual(["bob", "eve"]);
    vi.advanceTimersByTime(1_500);
    expect(names(list)).toEqual([]);
  });

  it("removes a person as soon as their message arrives, but only from that channel or thread", () => {
    const list = createTypingList();
    list.start("room", "", "bob");
    list.start("room", "root", "bob");
    list.stop("room", "", "bob");
    expect(list.snapshot().map(({ rootId }) => rootId)).toEqual(["root"]);
  });

  it("notifies its listeners until they unsubscribe", () => {
    const list = createTypingList();
    let told = 0;
    const leave = list.subscribe(() => told++);
    list.start("room", "", "bob");
    leave();
    list.start("room", "", "eve");
    expect(told).toBe(1);
  });
});
