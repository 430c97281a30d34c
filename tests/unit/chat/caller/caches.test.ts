import { describe, expect, it } from "vitest";
import { createCaches } from "#lib/chat/caller/caches.ts";

describe("caches of the gateway", () => {
  const SECOND_MS = 1000;

  it("drop a community role after 60 seconds", () => {
    let nowMs = 0;
    const { roles } = createCaches(() => nowMs);
    roles.set("hive-100001/alice", "owner");
    nowMs = 60 * SECOND_MS - 1;
    expect(roles.get("hive-100001/alice")).toBe("owner");
    nowMs = 60 * SECOND_MS;
    expect(roles.get("hive-100001/alice")).toBeUndefined();
  });

  it("drop active users, channels and thread settings within a minute, and member counts after an hour", () => {
    let nowMs = 0;
    const { activeUsers, channels, collapsesThreads, memberCounts, largeChannels } = createCaches(
      () => nowMs,
    );
    const kept = () =>
      [activeUsers, channels, collapsesThreads].map((cache) => cache.get("id") !== undefined);
    activeUsers.set("id", true);
    channels.set("id", { id: "id", name: "n", display_name: "N", type: "O", team_id: "t" });
    collapsesThreads.set("id", true);
    memberCounts.set("id", 300);
    largeChannels.set("id", true);
    nowMs = 30 * SECOND_MS - 1;
    expect(kept()).toEqual([true, true, true]);
    nowMs = 60 * SECOND_MS - 1;
    expect(kept()).toEqual([true, true, false]);
    nowMs = 60 * SECOND_MS;
    expect(kept()).toEqual([false, false, false]);
    expect([memberCounts.get("id"), largeChannels.get("id")]).toEqual([300, true]);
    nowMs = 3600 * SECOND_MS;
    expect([memberCounts.get("id"), largeChannels.get("id")]).toEqual([undefined, undefined]);
  });
});
