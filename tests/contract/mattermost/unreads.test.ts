import { expect, it } from "vitest";
import { describeMattermost, type Person } from "./support/world.ts";

describeMattermost("unreads", (world) => {
  const pair = async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const channel = await world.channel([alice, bob]);
    await bob.client.viewMyChannel(channel.id);
    return { alice, bob, channel };
  };
  const unread = async (person: Person, channelId: string) =>
    (await world.call(person, "GET", `/users/${person.id}/channels/${channelId}/unread`)).body;

  it("messages and mentions count as unread until the channel is viewed", async () => {
    const { alice, bob, channel } = await pair();
    await world.post(alice, channel.id, "one");
    const last = await world.post(alice, channel.id, `two @${bob.username}`);
    expect(await unread(bob, channel.id)).toMatchObject({
      team_id: world.team.id,
      channel_id: channel.id,
      msg_count: 2,
      mention_count: 1,
      msg_count_root: 2,
      mention_count_root: 1,
    });
    const { status, body } = await world.call(bob, "POST", `/channels/members/${bob.id}/view`, {
      channel_id: channel.id,
    });
    expect([status, body]).toEqual([
      200,
      { status: "OK", last_viewed_at_times: { [channel.id]: last.create_at } },
    ]);
    expect(await unread(bob, channel.id)).toMatchObject({
      msg_count: 0,
      mention_count: 0,
      msg_count_root: 0,
    });
    const member = await bob.client.getMyChannelMember(channel.id);
    expect([member.msg_count, member.mention_count, member.last_viewed_at]).toEqual([2, 0, last.create_at]);
  });

  it("replies count as messages but not as roots, and joins and leaves count as neither", async () => {
    const { alice, bob, channel } = await pair();
    const before = await alice.client.getChannel(channel.id);
    const root = await world.post(alice, channel.id, "root");
    await world.post(alice, channel.id, "reply", { root_id: root.id });
    const carol = await world.person();
    await carol.client.addToChannel(carol.id, channel.id);
    await carol.client.removeFromChannel(carol.id, channel.id);
    const after = await alice.client.getChannel(channel.id);
    expect(after.total_msg_count - before.total_msg_count).toBe(2);
    expect((after.total_msg_count_root ?? 0) - (before.total_msg_count_root ?? 0)).toBe(1);
    expect(await unread(bob, channel.id)).toMatchObject({ msg_count: 2, msg_count_root: 1 });
  });

  it("the post about a new header counts as a message", async () => {
    const { alice, bob, channel } = await pair();
    await alice.client.viewMyChannel(channel.id);
    await alice.client.patchChannel(channel.id, { header: "counts" });
    expect(await unread(alice, channel.id)).toMatchObject({ msg_count: 1, msg_count_root: 1 });
    expect(await unread(bob, channel.id)).toMatchObject({
      msg_count: 1,
      msg_count_root: 1,
      mention_count: 0,
    });
  });

  it("posting marks the channel read for its author", async () => {
    const { alice, bob, channel } = await pair();
    await world.post(alice, channel.id, "hello");
    await world.post(bob, channel.id, "hello back");
    await expect.poll(async () => (await unread(bob, channel.id)).msg_count).toBe(0);
    expect(await unread(alice, channel.id)).toMatchObject({ msg_count: 1 });
  });

  it("a post in a direct channel mentions the other user", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const direct = await world.direct(alice, bob);
    await world.post(alice, direct.id, "hey");
    expect(await unread(bob, direct.id)).toMatchObject({ team_id: "", msg_count: 1, mention_count: 1 });
  });

  it("@channel, @all, usernames and keywords count as mentions", async () => {
    const { alice, bob, channel } = await pair();
    const props = { ...(await bob.client.getMe()).notify_props, mention_keys: "cheese" };
    await bob.client.patchUser({ id: bob.id, notify_props: props } as never);
    for (const message of ["@channel look", "@all look", `hi @${bob.username}!`, "any cheese?"]) {
      await world.post(alice, channel.id, message);
    }
    await world.post(alice, channel.id, `not ${bob.username} and cheesecake`);
    expect(await unread(bob, channel.id)).toMatchObject({ msg_count: 5, mention_count: 4 });
  });

  it.each([
    ["never", 0],
    ["root", 2],
    ["any", 3],
  ])(
    "replies count as mentions according to the user's setting (%s), unless threads are collapsed",
    async (comments, count) => {
      const { alice, bob, channel } = await pair();
      const props = { ...(await bob.client.getMe()).notify_props, comments };
      await bob.client.patchUser({ id: bob.id, notify_props: props } as never);
      const own = await world.post(bob, channel.id, "bob begins");
      const other = await world.post(alice, channel.id, "alice begins");
      await world.post(alice, channel.id, "before bob answered", { root_id: other.id });
      await world.post(bob, channel.id, "bob answers", { root_id: other.id });
      for (const root of [own, own, other])
        await world.post(alice, channel.id, "a reply", { root_id: root.id });
      const { CollapsedThreads } = (await world.call(bob, "GET", "/config/client?format=old")).body;
      const isApart = ["always_on", "default_on"].includes(CollapsedThreads);
      expect(await unread(bob, channel.id)).toMatchObject({ mention_count: isApart ? 0 : count });
    },
  );

  it("viewing a channel without unread messages returns its last post time, and viewing an empty id returns no time", async () => {
    const { bob, channel } = await pair();
    const view = (body: unknown) => world.call(bob, "POST", `/channels/members/${bob.id}/view`, body);
    const { last_post_at } = await bob.client.getChannel(channel.id);
    expect((await view({ channel_id: channel.id })).body.last_viewed_at_times).toEqual({
      [channel.id]: last_post_at,
    });
    expect((await view({ channel_id: "" })).body).toEqual({ status: "OK", last_viewed_at_times: {} });
    expect((await view({ channel_id: "short" })).status).toBe(400);
  });

  it("viewing as a non-member changes nothing", async () => {
    const { bob, channel } = await pair();
    const stranger = await world.person();
    const view = (channel_id: string) =>
      world.call(stranger, "POST", `/channels/members/${stranger.id}/view`, { channel_id });
    expect((await view(channel.id)).status).toBe(200);
    const members = await bob.client.getChannelMembers(channel.id);
    expect(members.map(({ user_id }) => user_id)).not.toContain(stranger.id);
    const unknown = await view("a".repeat(26));
    expect([unknown.status, unknown.body.id]).toEqual(world.answers.viewOfNoChannel);
    const foreign = { channel_id: channel.id };
    expect((await world.call(stranger, "POST", `/channels/members/${bob.id}/view`, foreign)).status).toBe(
      403,
    );
  });

  it("marking a channel unread counts from the given post on", async () => {
    const { alice, bob, channel } = await pair();
    const posts = [];
    for (const message of ["one", `two @${bob.username}`, "three"])
      posts.push(await world.post(alice, channel.id, message));
    await bob.client.viewMyChannel(channel.id);
    const { status, body } = await world.call(
      bob,
      "POST",
      `/users/${bob.id}/posts/${posts[1].id}/set_unread`,
      {
        collapsed_threads_supported: true,
      },
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({
      team_id: world.team.id,
      user_id: bob.id,
      channel_id: channel.id,
      msg_count: 1,
      mention_count: 1,
      last_viewed_at: posts[1].create_at - 1,
    });
    expect(await unread(bob, channel.id)).toMatchObject({ msg_count: 2, mention_count: 1 });
  });

  it("marking unread fails in an archived channel", async () => {
    const { alice, bob, channel } = await pair();
    const post = await world.post(alice, channel.id, "too late");
    await alice.client.deleteChannel(channel.id);
    const { status, body } = await world.call(bob, "POST", `/users/${bob.id}/posts/${post.id}/set_unread`, {
      collapsed_threads_supported: true,
    });
    expect([status, body.id]).toEqual([500, "app.channel.update_last_viewed_at_post.app_error"]);
  });

  it("deleting a post does not lower the unread count", async () => {
    const { alice, bob, channel } = await pair();
    const { id } = await world.post(alice, channel.id, "going");
    const before = (await alice.client.getChannel(channel.id)).total_msg_count;
    await alice.client.deletePost(id);
    expect((await alice.client.getChannel(channel.id)).total_msg_count).toBe(before);
    expect((await unread(bob, channel.id)).msg_count).toBe(1);
  });
});
