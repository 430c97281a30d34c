import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { flavoursToTry, isOutsideMattermost } from "../../harness/contract-mattermost.ts";
import { type AnyBody, type ChatWorld, type Person, startChatWorld } from "../../harness/start-chat-world.ts";

describe.each(flavoursToTry())("GET /channels/unreads with a Mattermost like %s", (flavour) => {
  let world: ChatWorld;
  let alice: Person;
  let reader: Person;

  beforeAll(async () => {
    world = await startChatWorld({ flavour });
    alice = await world.login("alice");
    reader = await world.newcomer();
  });
  afterAll(() => world.close());

  const unreads = async (who = reader): Promise<AnyBody> => {
    const { status, body } = await who.api("GET", "/channels/unreads");
    expect(status).toBe(200);
    return body;
  };
  const row = async (id: string, who = reader) =>
    (await unreads(who)).channels.find((channel: AnyBody) => channel.channelId === id);

  it("totals the mentions of all rows except those of direct channels", async () => {
    const id = await world.makeChannel([alice, reader]);
    await reader.api("POST", `/channels/${id}/view`);
    const body = await unreads();
    expect(Object.keys(body).sort()).toEqual(
      ["channels", "totalDMs", "totalMentions", "totalThreads", "totalUnread", "truncated"].sort(),
    );
    const sum = (type: (type: string) => boolean, of: (row: AnyBody) => number) =>
      body.channels
        .filter((channel: AnyBody) => type(channel.type))
        .reduce((n: number, channel: AnyBody) => n + of(channel), 0);
    const isDirect = (type: string) => type === "D";
    expect(body.totalMentions).toBe(
      sum(
        (type) => !isDirect(type),
        (channel) => channel.mention_count,
      ),
    );
    expect(body.truncated).toBe(false);
  });

  it("counts messages and mentions in an opened channel until it is viewed again", async () => {
    const id = await world.makeChannel([alice, reader]);
    await alice.post(id, "before");
    await reader.api("POST", `/channels/${id}/view`);
    const before = await unreads();
    await alice.post(id, "plain");
    await alice.post(id, `look, @${reader.name}`);
    expect(await row(id)).toEqual({
      channelId: id,
      type: "O",
      mention_count: 1,
      message_count: 2,
      thread_unread: 0,
      unread_eligible: true,
    });
    const after = await unreads();
    expect(after.totalMentions - before.totalMentions).toBe(1);
    expect(after.totalUnread - before.totalUnread).toBe(2);
    await reader.api("POST", `/channels/${id}/view`);
    expect((await unreads()).totalUnread).toBe(before.totalUnread);
  });

  it("counts a first direct message", async () => {
    const writer = await world.newcomer();
    const before = await unreads();
    const id = (await writer.api("POST", "/direct", { username: reader.name })).body.channelId;
    await writer.post(id, "hi");
    expect(await row(id)).toMatchObject({ type: "D", message_count: 1, unread_eligible: true });
    const after = await unreads();
    expect(after.totalDMs - before.totalDMs).toBe(1);
    expect(after.totalUnread - before.totalUnread).toBe(1);
    expect(after.totalMentions).toBe(before.totalMentions);
    await reader.api("POST", `/channels/${id}/view`);
    expect((await unreads()).totalUnread).toBe(before.totalUnread);
  });

  it("skips muted channels, and the history of channels that were joined but never opened", async () => {
    const [never, muted] = [await world.makeChannel([alice]), await world.makeChannel([alice, reader])];
    await reader.api("POST", `/channels/${never}/join`);
    await alice.post(muted, "before");
    await reader.api("POST", `/channels/${muted}/view`);
    await reader.api("POST", `/channels/${muted}/mute`, { mute: true });
    const before = await unreads();
    await alice.post(never, "one");
    await alice.post(muted, "two");
    expect(await row(never)).toMatchObject({ message_count: 0, unread_eligible: false });
    expect(await row(muted)).toMatchObject({ message_count: 0, unread_eligible: false });
    expect((await unreads()).totalUnread).toBe(before.totalUnread);
  });

  it.each(["O", "P"] as const)(
    "counts messages, except the join message, in a channel of type %s that the caller was added to and has not opened",
    async (type) => {
      const id = await world.makeChannel([alice, reader], { type });
      expect(await row(id)).toMatchObject({ message_count: 0, mention_count: 0 });
      await alice.post(id, "plain");
      await alice.post(id, `look, @${reader.name}`);
      const counts = { message_count: 2, mention_count: 1 };
      await expect.poll(() => row(id)).toMatchObject({ ...counts, unread_eligible: true });
      const { channels } = (await reader.api("GET", "/channels")).body;
      const entry = channels.find((channel: AnyBody) => channel.id === id);
      expect(entry).toMatchObject(counts);
      expect(entry.last_viewed_at).toBeGreaterThan(0);
      await reader.api("POST", `/channels/${id}/view`);
      expect(await row(id)).toMatchObject({ message_count: 0, mention_count: 0 });
    },
  );

  it("counts mentions in a channel where no post says that others added the caller, as with plugins and groups", async () => {
    const id = await world.makeChannel([alice, reader]);
    await expect.poll(() => row(id)).toMatchObject({ mention_count: 0, unread_eligible: true });
    await alice.mattermost("DELETE", `/channels/${id}/members/${reader.id}`);
    // The channel is read again, as a page does when an event reports the reader's departure.
    expect(await row(id)).toBeUndefined();
    // The reader joins in another client, so no post says that someone added them.
    await reader.mattermost("POST", `/channels/${id}/members`, { user_id: reader.id });
    await alice.post(id, `look, @${reader.name}`);
    await expect.poll(() => row(id)).toMatchObject({ mention_count: 1 });
    await alice.post(id, `again, @${reader.name}`);
    await expect.poll(() => row(id)).toMatchObject({ mention_count: 2 });
  });

  it("looks up once how the caller joined a channel, and only if something counts in it", async () => {
    const quiet = await world.makeChannel([alice]);
    await reader.mattermost("POST", `/channels/${quiet}/members`, { user_id: reader.id });
    const id = await world.makeChannel([alice, reader]);
    await expect.poll(() => row(id)).toMatchObject({ mention_count: 0 });
    await alice.post(id, `look, @${reader.name}`);
    await expect.poll(() => row(id)).toMatchObject({ mention_count: 1 });
    const asked = (of: string) =>
      world.proxy.calls().filter((call) => call.startsWith(`GET /channels/${of}/posts`)).length;
    expect([asked(quiet), asked(id)]).toEqual([0, 1]);
  });

  it("counts only mentions in a channel that bootstrap joined and that was never opened", async () => {
    const { name, id } = await world.newcomer();
    const newcomer = await world.login(name, "hive-100001");
    expect(newcomer.id).toBe(id);
    const { channelId } = newcomer;
    expect(await row(channelId, newcomer)).toMatchObject({
      message_count: 0,
      mention_count: 0,
      unread_eligible: false,
    });
    await alice.api("POST", `/channels/${channelId}/join`);
    await alice.post(channelId, "plain");
    await alice.post(channelId, `look, @${newcomer.name}`);
    const counts = { message_count: 0, mention_count: 1, unread_eligible: false };
    await expect.poll(() => row(channelId, newcomer)).toMatchObject(counts);
    await newcomer.api("POST", `/channels/${channelId}/view`);
    expect(await row(channelId, newcomer)).toMatchObject({ mention_count: 0 });
  });

  it("counts messages in a community's channel that the caller was added to, even after the next bootstrap", async () => {
    const { channelId } = await world.login("alice", "hive-100003");
    const newcomer = await world.newcomer();
    const message_count = async () => {
      const { channels } = (await newcomer.api("GET", "/channels/unreads")).body;
      return channels.find((channel: AnyBody) => channel.channelId === channelId).message_count;
    };
    await alice.mattermost("POST", `/channels/${channelId}/members`, { user_id: newcomer.id });
    // A server that was used before may have messages there.
    const before = await message_count();
    await alice.post(channelId, "plain");
    await expect.poll(message_count).toBe(before + 1);
    await world.login(newcomer.name);
    expect(await message_count()).toBe(before + 1);
    await newcomer.api("POST", `/channels/${channelId}/view`);
    expect(await message_count()).toBe(0);
  });

  it("counts messages in a joined or opened channel after others remove the caller and add them again", async () => {
    const [joined, opened] = [await world.makeChannel([alice]), await world.makeChannel([alice])];
    await reader.api("POST", `/channels/${joined}/join`);
    await alice.mattermost("POST", `/channels/${opened}/members`, { user_id: reader.id });
    await reader.api("POST", `/channels/${opened}/view`);
    for (const id of [joined, opened])
      await alice.mattermost("DELETE", `/channels/${id}/members/${reader.id}`);
    // The channel is read again, as a page does when an event reports the reader's removal.
    expect(await row(joined)).toBeUndefined();
    for (const id of [joined, opened]) {
      await alice.mattermost("POST", `/channels/${id}/members`, { user_id: reader.id });
      await alice.post(id, "plain");
      const counts = { message_count: 1, mention_count: 0, unread_eligible: true };
      await expect.poll(() => row(id)).toMatchObject(counts);
    }
  });

  it("counts only mentions in a muted channel", async () => {
    const id = await world.makeChannel([alice, reader]);
    await reader.api("POST", `/channels/${id}/view`);
    await alice.post(id, "opened");
    await reader.api("POST", `/channels/${id}/view`);
    await reader.api("POST", `/channels/${id}/mute`, { mute: true });
    const before = await unreads();
    await alice.post(id, "plain");
    await alice.post(id, `look, @${reader.name}`);
    expect(await row(id)).toMatchObject({ mention_count: 1, message_count: 0, unread_eligible: false });
    const after = await unreads();
    expect(after.totalMentions - before.totalMentions).toBe(1);
    expect(after.totalUnread - before.totalUnread).toBe(1);
  });

  it("counts a reply once: in its thread with collapsed threads, otherwise as a message", async () => {
    const id = await world.makeChannel([alice, reader]);
    const root = await reader.post(id, "root");
    await reader.api("POST", `/channels/${id}/view`);
    const before = await unreads();
    await alice.post(id, "reply", root.id);
    const counted = await row(id);
    expect(counted.message_count + counted.thread_unread).toBe(1);
    expect((await unreads()).totalUnread - before.totalUnread).toBe(1);
    await reader.api("POST", `/channels/${id}/view`);
    // Collapsed threads are read separately.
    expect((await unreads()).totalUnread - before.totalUnread).toBe(counted.thread_unread);
    const { last_reply_at } = (await reader.api("GET", "/threads")).body.threads[0];
    await reader.api("POST", `/threads/${root.id}/view`, { until: last_reply_at });
    expect((await unreads()).totalUnread).toBe(before.totalUnread);
  });

  it("skips channels with deactivated partners, as the list of channels does", async () => {
    const goner = await world.newcomer();
    const before = await unreads();
    const id = (await goner.api("POST", "/direct", { username: reader.name })).body.channelId;
    await goner.post(id, "hi");
    expect((await unreads()).totalUnread).toBe(before.totalUnread + 1);
    await world.admin("PUT", `/users/${goner.id}/active`, { active: false });
    expect((await unreads()).totalUnread).toBe(before.totalUnread);
  });

  it("takes at most 4 Mattermost calls", async () => {
    const id = (await alice.api("POST", "/direct", { username: reader.name })).body.channelId;
    await alice.post(id, "so that a partner is looked up");
    world.proxy.forget();
    await unreads();
    expect(world.proxy.calls().length).toBeLessThanOrEqual(4);
  });

  it("takes at most 4 Mattermost calls, and marks the count of too many collapsed threads as partial", async () => {
    const id = await world.makeChannel([alice, reader]);
    const root = await reader.post(id, "root");
    await reader.api("POST", `/channels/${id}/view`);
    await alice.post(id, "reply", root.id);
    // An external server may be configured either way.
    const keepsThreads = isOutsideMattermost() ? (await row(id)).thread_unread === 1 : flavour === "v11";
    const thread = (n: number) => ({ id: `t${n}`, unread_replies: 2, post: { channel_id: id } });
    const full = JSON.stringify({ threads: Array.from({ length: 200 }, (_, n) => thread(n)) });
    world.proxy.treat(({ path }) => (path.endsWith("/threads") ? { status: 200, text: full } : "pass"));
    world.proxy.forget();
    const body = await unreads();
    world.proxy.treat(() => "pass");
    expect(world.proxy.calls().length).toBeLessThanOrEqual(4);
    expect([body.truncated, body.totalThreads]).toEqual(keepsThreads ? [true, 400] : [false, 0]);
  });

  it("returns 401 instead of zeros for a revoked token", async () => {
    const dead = { authorization: `Bearer ${"x".repeat(26)}` };
    expect((await reader.api("GET", "/channels/unreads", undefined, dead)).status).toBe(401);
  });
});
