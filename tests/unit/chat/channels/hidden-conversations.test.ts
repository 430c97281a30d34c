import { describe, expect, it } from "vitest";
import {
  createHiddenConversations,
  hidingPreferences,
  showingPreference,
} from "#lib/chat/channels/hidden-conversations.ts";
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

describe("closed conversations", () => {
  it.each(["D", "G"] as const)("keeps a conversation closed until its next message (%s)", (type) => {
    const isHidden = createHiddenConversations(hidingPreferences(channel(type), "alice"), "alice");
    expect(isHidden(channel(type))).toBe(true);
    expect(isHidden(channel(type, 6))).toBe(false);
  });
  it("shows a closed conversation again once the user opens it", () => {
    const preferences = [...hidingPreferences(channel("D"), "alice"), showingPreference("alice", "bob")];
    expect(createHiddenConversations(preferences, "alice")(channel("D"))).toBe(false);
  });
  it("keeps a conversation closed if another client closed it at an unknown time", () => {
    const preferences = [{ user_id: "alice", category: "direct_channel_show", name: "bob", value: "false" }];
    expect(createHiddenConversations(preferences, "alice")(channel("D", 99))).toBe(true);
  });
  it("never treats an ordinary channel as closed", () => {
    const isHidden = createHiddenConversations(hidingPreferences(channel("D"), "alice"), "alice");
    expect(isHidden(channel("O"))).toBe(false);
  });
});
