import { once } from "node:events";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { type ChatClient, createChatClient } from "../../lib/chat-client/index.ts";
import { soon } from "../harness/soon.ts";
import { type ChatWorld, type Person, startChatWorld } from "../harness/start-chat-world.ts";
import { unique } from "../harness/unique.ts";

let socket: WebSocket;
class WatchedSocket extends WebSocket {
  constructor(url: string) {
    super(url);
    socket = this;
  }
}

describe("the chat client's events", () => {
  let world: ChatWorld;
  let alice: Person;
  let bob: Person;
  let client: ChatClient;
  let told: unknown[];

  beforeAll(async () => {
    world = await startChatWorld();
    alice = await world.login("alice");
    bob = await world.login("bob");
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    told = [];
    client = createChatClient({ baseUrl: world.gateway.url, token: alice.pat, WebSocket: WatchedSocket });
    const names = [
      "posted",
      "post_edited",
      "post_deleted",
      "reaction_removed",
      "channels_viewed",
      "user_added",
    ] as const;
    for (const name of [...names, "user_removed", "channels_changed", "threads_changed"] as const)
      client.on(name, (event) => told.push([name, event]));
    const isOpen = new Promise<void>((resolve) => client.on("gap", () => resolve()));
    client.connect();
    await isOpen;
  });
  afterEach(async () => {
    const isClosed = once(socket, "close");
    client.disconnect();
    await isClosed;
    // Once the gateway answers, it has also seen the end of the connection.
    await alice.api("GET", "/me");
  });
  const until = (name: string, event: object) =>
    soon(() => expect(told).toContainEqual([name, expect.objectContaining(event)]));

  it("report a thread's new replies, and when it is read, followed or unfollowed", async () => {
    const channelId = await world.makeChannel([alice, bob]);
    // Mattermost caches the notification levels of a channel's members and learns a new member's level when
    // it is set.
    await alice.api("POST", `/channels/${channelId}/mute`, { mute: false, notifyLevel: "default" });
    const { id } = await alice.post(channelId, "a question");
    const reply = await bob.post(channelId, "an answer", id);
    await until("posted", { post: expect.objectContaining({ id: reply.id }), followers: [alice.id] });
    await until("threads_changed", { threadId: id });
    expect((await client.threads.list({ perPage: 1, unread: true })).threads).toMatchObject([
      { id, unreadReplies: 1 },
    ]);
    const acts = [
      () => client.threads.markRead(id, reply.create_at),
      () => client.threads.setFollowed(id, { follow: false }),
      () => client.threads.setFollowed(id, { follow: true }),
    ];
    for (const act of acts) {
      told.length = 0;
      await act();
      await until("threads_changed", { threadId: id });
    }
    await client.threads.markAllRead();
    await until("threads_changed", { threadId: "" });
  });

  it("report edited and deleted posts and removed reactions", async () => {
    const channelId = await world.makeChannel([alice, bob]);
    const { id } = await bob.post(channelId, "first words");
    const words = unique("better words ");
    await bob.api("PATCH", `/channels/${channelId}/posts/${id}`, { message: words });
    await until("post_edited", { post: expect.objectContaining({ id, message: words }) });
    for (const add of [true, false])
      await bob.api("POST", `/channels/${channelId}/posts/${id}/reactions`, { emoji: "tada", add });
    const reaction = expect.objectContaining({ postId: id, userId: bob.id, emojiName: "tada" });
    await until("reaction_removed", { reaction });
    await bob.api("DELETE", `/channels/${channelId}/posts/${id}`);
    await until("post_deleted", { post: expect.objectContaining({ id }) });
  });

  it("report who joins and leaves a channel, and the signed-in user's own removal", async () => {
    const channelId = await world.makeChannel([alice]);
    await world.admin("POST", `/channels/${channelId}/members`, { user_id: bob.id });
    await until("user_added", { userId: bob.id, channelId });
    await world.admin("DELETE", `/channels/${channelId}/members/${bob.id}`);
    await until("user_removed", { userId: bob.id, channelId });
    await world.admin("DELETE", `/channels/${channelId}/members/${alice.id}`);
    await until("user_removed", { userId: alice.id, channelId });
  });

  it("report channels read elsewhere and changes to the list of channels", async () => {
    const channelId = await world.makeChannel([alice, bob]);
    await alice.api("POST", `/channels/${channelId}/view`);
    await until("channels_viewed", { channelIds: [channelId] });
    told.length = 0;
    await alice.api("POST", `/channels/${channelId}/favorite`, { favorite: true });
    await until("channels_changed", { isForEverybody: false });
    const { id, create_at } = await bob.post(channelId, "for later");
    await client.posts.markUnread(channelId, id);
    await until("channels_changed", { unread: { channelId, since: create_at - 1 } });
  });
});
