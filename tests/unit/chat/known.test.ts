import { describe, expect, it } from "vitest";
import { createKnown } from "../../../lib/chat/known.ts";

describe("what the gateway remembers", () => {
  const SECOND_MS = 1000;

  it("of a community role is forgotten after 60 seconds, as of the name of a PAT that no bootstrap gave out", () => {
    let nowMs = 0;
    const { roles, usernames } = createKnown(() => nowMs);
    roles.set("hive-100001/alice", "owner");
    usernames.set("hash", "alice");
    nowMs = 60 * SECOND_MS - 1;
    expect([roles.get("hive-100001/alice"), usernames.get("hash")]).toEqual(["owner", "alice"]);
    nowMs = 60 * SECOND_MS;
    expect([roles.get("hive-100001/alice"), usernames.get("hash")]).toEqual([undefined, undefined]);
  });

  it("of names and channels is forgotten after ten minutes, of the number of members after an hour", () => {
    let nowMs = 0;
    const { partners, channels, memberCounts, largeChannels } = createKnown(() => nowMs);
    partners.set("alice", "id");
    channels.set("id", { id: "id", name: "n", display_name: "N", type: "O", team_id: "t" });
    memberCounts.set("id", 300);
    largeChannels.set("id", true);
    nowMs = 600 * SECOND_MS;
    expect([partners.get("alice"), channels.get("id")]).toEqual([undefined, undefined]);
    expect([memberCounts.get("id"), largeChannels.get("id")]).toEqual([300, true]);
    nowMs = 3600 * SECOND_MS;
    expect([memberCounts.get("id"), largeChannels.get("id")]).toEqual([undefined, undefined]);
  });
});
