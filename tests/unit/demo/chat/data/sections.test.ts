import { describe, expect, it } from "vitest";
import { firstChannel, sectionsOf, standStill } from "#app/(demo)/_chat/data/channels.ts";
import type { Channel } from "#app/(demo)/_chat/data/model.ts";

const channel = (id: string, change: Partial<Channel> = {}) =>
  ({
    id,
    type: "O",
    is_favorite: false,
    is_muted: false,
    message_count: 0,
    mention_count: 0,
    order: 0,
    ...change,
  }) as Channel;
const idsOf = (channels: Channel[]) =>
  sectionsOf(channels).map(({ kind, channels: inside }) => [kind, inside.map(({ id }) => id)]);

describe("the sidebar's sections", () => {
  it("are favourites, channels and direct messages, without empty ones", () => {
    expect(
      idsOf([
        channel("d", { type: "D" }),
        channel("g", { type: "G", order: 1 }),
        channel("f", { is_favorite: true }),
      ]),
    ).toEqual([
      ["favorites", ["f"]],
      ["direct", ["d", "g"]],
    ]);
    expect(idsOf([])).toEqual([]);
  });

  it("begin with what is unread, mentions first, muted channels excepted, and keep the server's order otherwise", () => {
    const channels = [
      channel("second", { order: 2 }),
      channel("first", { order: 1 }),
      channel("unread", { order: 4, message_count: 1 }),
      channel("favourite", { order: 0, message_count: 1, is_favorite: true }),
      channel("mentioned", { order: 5, message_count: 1, mention_count: 1 }),
      channel("person", { order: 6, message_count: 1, type: "D" }),
      channel("muted", { order: 3, message_count: 9, is_muted: true }),
    ];
    expect(idsOf(channels)).toEqual([
      ["unread", ["mentioned", "person", "favourite", "unread"]],
      ["channels", ["first", "second", "muted"]],
    ]);
  });

  it("keep the channel that is being read on top", () => {
    const sections = sectionsOf([channel("read", { order: 1 }), channel("other")], "read");
    expect(sections.map(({ kind, channels: [first] }) => [kind, first?.id])).toEqual([
      ["unread", "read"],
      ["channels", "other"],
    ]);
  });

  it("stand still where they have to, with the channels as they are now", () => {
    const before = sectionsOf([channel("a"), channel("b", { order: 1 }), channel("gone", { order: 2 })]);
    const now = [
      channel("a"),
      channel("b", { order: 1, message_count: 1 }),
      channel("new", { message_count: 1 }),
    ];
    expect(standStill(before, now)).toEqual([{ kind: "channels", channels: [now[0], now[1]] }]);
  });
});

describe("the channel that the chat begins with", () => {
  const idOf = (channels: Channel[]) => firstChannel(channels)?.id;
  const quiet = channel("quiet", { name: "off-topic", last_viewed_at: 0, last_post_at: 0 });
  const commons = channel("commons", { name: "town-square", last_viewed_at: 0, last_post_at: 1, order: 1 });
  const lively = channel("lively", { name: "hive-1", last_viewed_at: 0, last_post_at: 9, order: 2 });
  const read = channel("read", { name: "hive-2", last_viewed_at: 5, last_post_at: 5, order: 3 });
  const old = channel("old", { name: "hive-3", last_viewed_at: 4, last_post_at: 4, order: 4 });
  const unread = channel("unread", { name: "hive-4", last_viewed_at: 1, message_count: 1, order: 5 });

  it("is what is unread, else the one that was read last", () => {
    expect(idOf([quiet, commons, lively, old, read, unread])).toBe("unread");
    expect(idOf([quiet, commons, lively, old, read])).toBe("read");
  });

  it("is for whoever read none the one that everybody is in, or else where the last word fell", () => {
    expect(idOf([quiet, commons, lively])).toBe("commons");
    expect(idOf([quiet, lively])).toBe("lively");
    expect(idOf([])).toBeUndefined();
  });
});
