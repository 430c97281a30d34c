import { describe, expect, it } from "vitest";
import {
  createHiddenConversations,
  hidingPreferences,
  partnerIdOf,
  showingPreference,
} from "#lib/chat/channels/open-direct.ts";
import { Channel } from "#lib/mattermost/channels.ts";

const channel = (type: "O" | "D" | "G", last_post_at = 5) =>
  Channel.parse({
    id: "c",
    name: "alice__bob",
    display_name: "",
    type,
    team_id: "",
    create_at: 1,
    last_post_at,
  });

describe("partnerIdOf", () => {
  it("tells the other one, oneself in a note to self, nobody elsewhere", () => {
    expect(partnerIdOf(channel("D"), "alice")).toBe("bob");
    expect(partnerIdOf(channel("D"), "bob")).toBe("alice");
    expect(partnerIdOf({ type: "D", name: "alice__alice" }, "alice")).toBe("alice");
    expect(partnerIdOf(channel("O"), "alice")).toBeNull();
  });
});

describe("a conversation that was put away", () => {
  it.each(["D", "G"] as const)("stays so until its next message (%s)", (type) => {
    const isHidden = createHiddenConversations(hidingPreferences(channel(type), "alice"), "alice");
    expect(isHidden(channel(type))).toBe(true);
    expect(isHidden(channel(type, 6))).toBe(false);
  });
  it("comes back by being opened", () => {
    const preferences = [...hidingPreferences(channel("D"), "alice"), showingPreference("alice", "bob")];
    expect(createHiddenConversations(preferences, "alice")(channel("D"))).toBe(false);
  });
  it("by another client stays so, as its time is not known", () => {
    const preferences = [{ user_id: "alice", category: "direct_channel_show", name: "bob", value: "false" }];
    expect(createHiddenConversations(preferences, "alice")(channel("D", 99))).toBe(true);
  });
  it("is never an ordinary channel", () => {
    const isHidden = createHiddenConversations(hidingPreferences(channel("D"), "alice"), "alice");
    expect(isHidden(channel("O"))).toBe(false);
  });
});
