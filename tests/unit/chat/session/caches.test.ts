import { describe, expect, it } from "vitest";
import { createCaches } from "#lib/chat/session/gateway.ts";

describe("what the gateway remembers", () => {
  const SECOND_MS = 1000;

  it("of a community role is forgotten after 60 seconds", () => {
    let nowMs = 0;
    const { roles } = createCaches(() => nowMs);
    roles.set("hive-100001/alice", "owner");
    nowMs = 60 * SECOND_MS - 1;
    expect(roles.get("hive-100001/alice")).toBe("owner");
    nowMs = 60 * SECOND_MS;
    expect(roles.get("hive-100001/alice")).toBeUndefined();
  });

  it("of active users and channels is forgotten after ten minutes, of the number of members after an hour", () => {
    let nowMs = 0;
    const { activeUsers, channels, memberCounts, largeChannels } = createCaches(() => nowMs);
    activeUsers.set("id", true);
    channels.set("id", { id: "id", name: "n", display_name: "N", type: "O", team_id: "t" });
    memberCounts.set("id", 300);
    largeChannels.set("id", true);
    nowMs = 600 * SECOND_MS;
    expect([activeUsers.get("id"), channels.get("id")]).toEqual([undefined, undefined]);
    expect([memberCounts.get("id"), largeChannels.get("id")]).toEqual([300, true]);
    nowMs = 3600 * SECOND_MS;
    expect([memberCounts.get("id"), largeChannels.get("id")]).toEqual([undefined, undefined]);
  });
});
