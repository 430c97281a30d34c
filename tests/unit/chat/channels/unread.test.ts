import { describe, expect, it } from "vitest";
import { countUnread } from "#lib/chat/channels/unread.ts";
import { Channel, ChannelMember } from "#lib/mattermost/channels.ts";

const channel = (type: "O" | "P" | "D" | "G", counts: { total?: number; roots?: number } = {}) =>
  Channel.parse({
    id: "c",
    name: "n",
    display_name: "",
    type,
    team_id: "",
    create_at: 1,
    total_msg_count: counts.total ?? 10,
    total_msg_count_root: counts.roots ?? 6,
  });
const member = (fields: Partial<ChannelMember> & { mark_unread?: string } = {}) =>
  ChannelMember.parse({
    channel_id: "c",
    user_id: "u",
    last_viewed_at: 1,
    msg_count: 7,
    msg_count_root: 5,
    notify_props: { mark_unread: fields.mark_unread ?? "all" },
    ...fields,
  });

describe("countUnread", () => {
  it("includes replies if threads are not separate", () => {
    expect(countUnread(channel("O"), member({ mention_count: 2, mention_count_root: 1 }), false)).toEqual({
      mention_count: 2,
      message_count: 3,
      unread_eligible: true,
    });
  });
  it("counts only root messages if threads are separate", () => {
    expect(countUnread(channel("O"), member({ mention_count: 2, mention_count_root: 1 }), true)).toEqual({
      mention_count: 1,
      message_count: 1,
      unread_eligible: true,
    });
  });
  it("never counts below zero", () => {
    expect(countUnread(channel("O", { total: 1 }), member(), false).message_count).toBe(0);
  });
  it.each(["O", "P"] as const)("counts only mentions in a channel (%s) that was never opened", (type) => {
    const never = member({ last_viewed_at: 0, msg_count: 0, mention_count: 1 });
    expect(countUnread(channel(type), never, false)).toEqual({
      mention_count: 1,
      message_count: 0,
      unread_eligible: false,
    });
  });
  it.each(["D", "G"] as const)(
    "counts the first message of a direct channel (%s) that was never opened",
    (type) => {
      const never = member({ last_viewed_at: 0, msg_count: 0 });
      expect(countUnread(channel(type, { total: 1 }), never, false)).toMatchObject({
        message_count: 1,
        unread_eligible: true,
      });
    },
  );
  it("counts only mentions in a muted channel", () => {
    const muted = member({ mark_unread: "mention", mention_count: 1 });
    expect(countUnread(channel("O"), muted, false)).toEqual({
      mention_count: 1,
      message_count: 0,
      unread_eligible: false,
    });
  });
  it("counts nothing in a muted direct channel, where every message is a mention", () => {
    const muted = member({ mark_unread: "mention", mention_count: 3 });
    expect(countUnread(channel("D"), muted, false)).toEqual({
      mention_count: 0,
      message_count: 0,
      unread_eligible: false,
    });
  });
});
