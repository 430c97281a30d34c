import { expect, it } from "vitest";
import { carries } from "./support/listener.ts";
import { describeMattermost, type Person } from "./support/world.ts";

describeMattermost("websocket: events of posts", (world) => {
  const pair = async () => (await world.people(2)) as [Person, Person];

  it("posted has the channel, the sender and the post as text", async () => {
    const [alice, bob] = await pair();
    const channel = await world.channel([alice, bob]);
    const ear = await world.listen(bob);
    const post = await world.post(alice, channel.id, "hi #there");
    const { data } = await ear.find(carries({ id: post.id }));
    expect(data).toMatchObject({
      channel_display_name: channel.name,
      channel_name: channel.name,
      channel_type: "O",
      sender_name: `@${alice.username}`,
      set_online: true,
      team_id: world.team.id,
    });
    expect(JSON.parse(data.post)).toMatchObject({
      id: post.id,
      message: "hi #there",
      hashtags: "#there",
      user_id: alice.id,
    });
    expect(typeof data.post).toBe("string");
  });

  it("posted in a direct channel names the sender and mentions the other user", async () => {
    const [alice, bob] = await pair();
    const direct = await world.direct(alice, bob);
    const ear = await world.listen(bob);
    await world.post(alice, direct.id, "psst");
    const { data } = await ear.event("posted");
    expect(data).toMatchObject({
      channel_display_name: `@${alice.username}`,
      channel_type: "D",
      team_id: "",
    });
    expect(JSON.parse(data.mentions)).toEqual([bob.id]);
  });

  it("posting with set_online=false is marked in the event", async () => {
    const alice = await world.person();
    const channel = await world.channel([alice]);
    const ear = await world.listen(alice);
    await world.call(alice, "POST", "/posts?set_online=false", { channel_id: channel.id, message: "quiet" });
    expect((await ear.find(carries({ message: "quiet" }))).data.set_online).toBe(false);
  });

  it("posting and viewing send the user an event that the channel was read", async () => {
    const [alice, bob] = await pair();
    const channel = await world.channel([alice, bob]);
    const ears = { alice: await world.listen(alice), bob: await world.listen(bob) };
    await world.post(alice, channel.id, "first");
    const viewed = world.answers.viewedEvent;
    const own = await ears.alice.event(viewed);
    if (viewed === "multiple_channels_viewed")
      expect(own.data.channel_times).toEqual({ [channel.id]: expect.any(Number) });
    else expect(own.data).toEqual({ channel_id: channel.id });
    expect(own.broadcast?.user_id).toBe(alice.id);
    await ears.bob.find(carries({ message: "first" }));
    ears.bob.clear();
    await bob.client.viewMyChannel(channel.id);
    await ears.bob.event(viewed);
  });

  it("editing and pinning send post_edited", async () => {
    const [alice, bob] = await pair();
    const channel = await world.channel([alice, bob]);
    const ear = await world.listen(bob);
    const post = await world.post(alice, channel.id, "old");
    await alice.client.patchPost({ id: post.id, message: "new" } as never);
    const edited = await ear.event("post_edited");
    expect(JSON.parse(edited.data.post)).toMatchObject({ id: post.id, message: "new" });
    expect(edited.broadcast?.channel_id).toBe(channel.id);
    ear.clear();
    await alice.client.pinPost(post.id);
    const pinned = await ear.event("post_edited");
    expect(JSON.parse(pinned.data.post).is_pinned).toBe(true);
  });

  it("deleting a root sends one event, for the root alone", async () => {
    const [alice, bob] = await pair();
    const channel = await world.channel([alice, bob]);
    const ear = await world.listen(bob);
    const root = await world.post(alice, channel.id, "root");
    await world.post(alice, channel.id, "reply", { root_id: root.id });
    await alice.client.deletePost(root.id);
    const deleted = await ear.event("post_deleted");
    expect(JSON.parse(deleted.data.post)).not.toHaveProperty("metadata.reactions");
    await world.fence(bob, ear);
    expect(ear.events("post_deleted").map((frame) => JSON.parse(frame.data.post).id)).toEqual([root.id]);
  });

  it("reactions send reaction_added and reaction_removed", async () => {
    const [alice, bob] = await pair();
    const channel = await world.channel([alice, bob]);
    const ear = await world.listen(bob);
    const post = await world.post(alice, channel.id, "like?");
    await alice.client.addReaction(alice.id, post.id, "+1");
    const added = await ear.event("reaction_added");
    expect(JSON.parse(added.data.reaction)).toMatchObject({
      user_id: alice.id,
      post_id: post.id,
      emoji_name: "+1",
    });
    expect(added.broadcast?.channel_id).toBe(channel.id);
    await alice.client.removeReaction(alice.id, post.id, "+1");
    const removed = await ear.event("reaction_removed");
    expect(JSON.parse(removed.data.reaction)).toMatchObject({
      user_id: alice.id,
      emoji_name: "+1",
      create_at: 0,
    });
  });

  it("marking unread sends post_unread", async () => {
    const [alice, bob] = await pair();
    const channel = await world.channel([alice, bob]);
    const ear = await world.listen(bob);
    const post = await world.post(alice, channel.id, "again");
    await bob.client.viewMyChannel(channel.id);
    await bob.client.markPostAsUnread(bob.id, post.id);
    const { data, broadcast } = await ear.event("post_unread");
    expect(data).toMatchObject({ post_id: post.id, last_viewed_at: post.create_at - 1 });
    expect(broadcast).toMatchObject({ user_id: bob.id, channel_id: channel.id, team_id: world.team.id });
  });

  it("typing over REST sends the same event as over the websocket", async () => {
    const [alice, bob] = await pair();
    const channel = await world.channel([alice, bob]);
    const ear = await world.listen(bob);
    const { status, body } = await world.call(alice, "POST", `/users/${alice.id}/typing`, {
      channel_id: channel.id,
      parent_id: "",
    });
    expect([status, body]).toEqual([200, { status: "OK" }]);
    expect((await ear.event("typing")).data).toEqual({ parent_id: "", user_id: alice.id });
  });

  it("following and reading threads send events", async () => {
    const [alice, bob] = await pair();
    const channel = await world.channel([alice, bob]);
    const ear = await world.listen(bob);
    const root = await world.post(alice, channel.id, "root");
    await world.post(alice, channel.id, "reply", { root_id: root.id });
    await bob.client.updateThreadFollowForUser(bob.id, world.team.id, root.id, true);
    const followed = await ear.event("thread_follow_changed", (frame) => frame.data.thread_id === root.id);
    expect(followed.data).toEqual({ thread_id: root.id, state: true, reply_count: 1 });
    expect(followed.broadcast).toMatchObject({ user_id: bob.id, team_id: world.team.id });
    await bob.client.updateThreadReadForUser(bob.id, world.team.id, root.id, Date.now() + 1000);
    const read = await ear.event("thread_read_changed");
    expect(read.data).toMatchObject({
      thread_id: root.id,
      channel_id: channel.id,
      timestamp: expect.any(Number),
      unread_mentions: 0,
      unread_replies: 0,
    });
    ear.clear();
    await bob.client.updateThreadsReadForUser(bob.id, world.team.id);
    expect((await ear.event("thread_read_changed")).data).not.toHaveProperty("thread_id");
  });
});
