import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { flavoursToTry } from "../../harness/contract-mattermost.ts";
import { type AnyBody, type ChatWorld, type Person, startChatWorld } from "../../harness/start-chat-world.ts";

describe.each(flavoursToTry())("marking as unread with a Mattermost like %s", (flavour) => {
  let world: ChatWorld;
  let alice: Person;
  let bob: Person;
  let reader: Person;

  beforeAll(async () => {
    world = await startChatWorld({ flavour });
    [alice, bob] = [await world.login("alice"), await world.login("bob")];
    reader = await world.newcomer();
  });
  afterAll(() => world.close());

  const mark = (who: Person, channelId: string, postId: string) =>
    who.api("POST", `/channels/${channelId}/posts/${postId}/unread`);
  const entry = async (id: string) =>
    (await reader.api("GET", "/channels")).body.channels.find((channel: AnyBody) => channel.id === id);

  it("marks the channel unread from a post on, with mentions, until it is viewed", async () => {
    const id = await world.makeChannel([alice, reader]);
    await alice.post(id, "one");
    const second = await alice.post(id, `two, @${reader.name}`);
    await alice.post(id, "three");
    await reader.api("POST", `/channels/${id}/view`);
    expect((await mark(reader, id, second.id)).body).toEqual({ ok: true });
    expect(await entry(id)).toMatchObject({
      message_count: 2,
      mention_count: 1,
      last_viewed_at: second.create_at - 1,
    });
    await reader.api("POST", `/channels/${id}/view`);
    expect(await entry(id)).toMatchObject({ message_count: 0, mention_count: 0 });
  });

  it("marks a reply's thread unread if threads count separately, otherwise the channel", async () => {
    const id = await world.makeChannel([alice, reader]);
    const root = await alice.post(id, "a question");
    await alice.post(id, "an answer", root.id);
    const second = await alice.post(id, "another answer", root.id);
    await reader.api("POST", `/channels/${id}/view`);
    const { isCollapsed } = (await reader.api("GET", "/threads")).body;
    expect((await mark(reader, id, second.id)).body).toEqual({ ok: true });
    const { threads } = (await reader.api("GET", "/threads")).body;
    const thread = threads.find((one: AnyBody) => one.id === root.id);
    const { message_count } = await entry(id);
    expect(isCollapsed ? [thread?.unread_replies, message_count] : [1, message_count]).toEqual(
      isCollapsed ? [1, 0] : [1, 1],
    );
  });

  it("takes 2 Mattermost calls", async () => {
    const id = await world.makeChannel([alice, reader]);
    const post = await alice.post(id, "news");
    await mark(reader, id, post.id);
    world.proxy.forget();
    await mark(reader, id, post.id);
    expect(world.proxy.calls().length).toBe(2);
  });

  it("returns 404 for posts of another channel, deleted ones and non-members", async () => {
    const [room, secret] = [
      await world.makeChannel([alice, reader]),
      await world.makeChannel([alice], { type: "P" }),
    ];
    const [gone, kept, hidden] = [
      await alice.post(room, "gone"),
      await alice.post(room, "kept"),
      await alice.post(secret, "hidden"),
    ];
    await alice.api("DELETE", `/channels/${room}/posts/${gone.id}`);
    for (const [who, channelId, postId] of [
      [reader, secret, kept.id],
      [reader, room, gone.id],
      [reader, room, hidden.id],
      [reader, secret, hidden.id],
      [bob, room, kept.id],
    ] as const) {
      const { status, body } = await mark(who, channelId, postId);
      expect([status, body.code]).toEqual([404, "not_found"]);
    }
  });

  it("returns 404 for a non-member when Mattermost answers 500, and 502 for a member", async () => {
    const id = await world.makeChannel([alice, reader]);
    const post = await alice.post(id, "news");
    const refusal = { id: "app.channel.update_last_viewed_at_post.app_error", status_code: 500 };
    world.proxy.treat(({ path }) =>
      path.endsWith("/set_unread") ? { status: 500, text: JSON.stringify(refusal) } : "pass",
    );
    const statuses = [(await mark(bob, id, post.id)).status, (await mark(reader, id, post.id)).status];
    world.proxy.treat(() => "pass");
    expect(statuses).toEqual([404, 502]);
  });

  it("returns 409 in an archived channel", async () => {
    const id = await world.makeChannel([alice, reader]);
    const post = await alice.post(id, "too late");
    await world.admin("DELETE", `/channels/${id}`);
    const { status, body } = await mark(reader, id, post.id);
    expect([status, body.code]).toEqual([409, "conflict"]);
  });
});
