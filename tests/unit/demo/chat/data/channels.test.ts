import { describe, expect, it } from "vitest";
import { firstChannel, sectionsOf, standStill } from "#app/(demo)/_chat/data/channels.ts";
import type { Channel } from "#app/(demo)/_chat/data/model.ts";

const channel = (id: string, change: Partial<Channel> = {}) =>
  ({
    id,
    type: "O",
    isFavorite: false,
    isMuted: false,
    messageCount: 0,
    mentionCount: 0,
    order: 0,
    ...change,
  }) as Channel;
const idsOf = (channels: Channel[]) =>
  sectionsOf(channels).map(({ kind, channels: inside }) => [kind, inside.map(({ id }) => id)]);

describe("sidebar sections", () => {
  it("shows favourites apart from direct messages, and no empty sections", () => {
    expect(
      idsOf([
        channel("d", { type: "D" }),
        channel("g", { type: "G", order: 1 }),
        channel("f", { isFavorite: true }),
      ]),
    ).toEqual([
      ["favorites", ["f"]],
      ["direct", ["d", "g"]],
    ]);
    expect(idsOf([])).toEqual([]);
  });

  it("puts unread channels first, mentions before others, except muted ones, in the server's order", () => {
    const channels = [
      channel("second", { order: 2 }),
      channel("first", { order: 1 }),
      channel("unread", { order: 4, messageCount: 1 }),
      channel("favourite", { order: 0, messageCount: 1, isFavorite: true }),
      channel("mentioned", { order: 5, messageCount: 1, mentionCount: 1 }),
      channel("person", { order: 6, messageCount: 1, type: "D" }),
      channel("muted", { order: 3, messageCount: 9, isMuted: true }),
    ];
    expect(idsOf(channels)).toEqual([
      ["unread", ["mentioned", "person", "favourite", "unread"]],
      ["channels", ["first", "second", "muted"]],
    ]);
  });

  it("keeps the channel that is being read on top", () => {
    const sections = sectionsOf([channel("read", { order: 1 }), channel("other")], "read");
    expect(sections.map(({ kind, channels: [first] }) => [kind, first?.id])).toEqual([
      ["unread", "read"],
      ["channels", "other"],
    ]);
  });

  it("keeps the current order on request, and updates the channels in it", () => {
    const before = sectionsOf([channel("a"), channel("b", { order: 1 }), channel("gone", { order: 2 })]);
    const now = [
      channel("a"),
      channel("b", { order: 1, messageCount: 1 }),
      channel("new", { messageCount: 1 }),
    ];
    expect(standStill(before, now)).toEqual([{ kind: "channels", channels: [now[0], now[1]] }]);
  });
});

describe("the chat without a chosen channel", () => {
  const idOf = (channels: Channel[]) => firstChannel(channels)?.id;
  const quiet = channel("quiet", { name: "off-topic", lastViewedAt: 0, lastPostAt: 0 });
  const commons = channel("commons", { name: "town-square", lastViewedAt: 0, lastPostAt: 1, order: 1 });
  const lively = channel("lively", { name: "hive-1", lastViewedAt: 0, lastPostAt: 9, order: 2 });
  const read = channel("read", { name: "hive-2", lastViewedAt: 5, lastPostAt: 5, order: 3 });
  const old = channel("old", { name: "hive-3", lastViewedAt: 4, lastPostAt: 4, order: 4 });
  const unread = channel("unread", { name: "hive-4", lastViewedAt: 1, messageCount: 1, order: 5 });

  it("opens an unread channel, or the one read last", () => {
    expect(idOf([quiet, commons, lively, old, read, unread])).toBe("unread");
    expect(idOf([quiet, commons, lively, old, read])).toBe("read");
  });

  it("opens the default channel, or the latest, for a user who has read none", () => {
    expect(idOf([quiet, commons, lively])).toBe("commons");
    expect(idOf([quiet, lively])).toBe("lively");
    expect(idOf([])).toBeUndefined();
  });
});
