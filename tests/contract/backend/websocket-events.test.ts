import { expect, it } from "vitest";
import { carries, type Frame, type Listener } from "./support/listener.ts";
import { describeBackend, type Person } from "./support/world.ts";

/** Fails unless the frames came in this order, whatever else came between. */
async function expectOrder(listener: Listener, ...steps: ((frame: Frame) => boolean)[]): Promise<void> {
  const found = [];
  for (const step of steps) found.push(listener.frames.indexOf(await listener.find(step)));
  expect(found).toEqual([...found].sort((one, other) => one - other));
}

const named = (event: string) => (frame: Frame) => frame.event === event;
const postOf = (frame: Frame) => JSON.parse(frame.data.post);

describeBackend("websocket: events", (world) => {
  const pair = async () => (await world.people(2)) as [Person, Person];

  it("posted: who, where, and the post as text", async () => {
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

  it("posted in a direct channel: the sender is its name, the other is mentioned", async () => {
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

  it("set_online=false shows in the event", async () => {
    const alice = await world.person();
    const channel = await world.channel([alice]);
    const ear = await world.listen(alice);
    await world.call(alice, "POST", "/posts?set_online=false", { channel_id: channel.id, message: "quiet" });
    expect((await ear.find(carries({ message: "quiet" }))).data.set_online).toBe(false);
  });

  it("posting marks the channel read for the author, after the post", async () => {
    const [alice, bob] = await pair();
    const channel = await world.channel([alice, bob]);
    const ears = { alice: await world.listen(alice), bob: await world.listen(bob) };
    await world.post(alice, channel.id, "first");
    const viewed = world.isV11 ? "multiple_channels_viewed" : "channel_viewed";
    const own = await ears.alice.event(viewed);
    if (world.isV11) expect(own.data.channel_times).toEqual({ [channel.id]: expect.any(Number) });
    else expect(own.data).toEqual({ channel_id: channel.id });
    expect(own.broadcast?.user_id).toBe(alice.id);
    await ears.bob.find(carries({ message: "first" }));
    ears.bob.clear();
    await bob.client.viewMyChannel(channel.id);
    await ears.bob.event(viewed);
  });

  it("post_edited on editing and pinning", async () => {
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

  it("reaction_added and reaction_removed", async () => {
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

  it("post_unread on marking unread", async () => {
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

  it("creating a channel: the join post, then channel_created to its creator", async () => {
    const alice = await world.person();
    const ear = await world.listen(alice);
    const channel = await world.channel([alice]);
    const created = await ear.event("channel_created");
    expect(created.data).toEqual({ channel_id: channel.id, team_id: world.team.id });
    expect(created.broadcast?.user_id).toBe(alice.id);
    await expectOrder(ear, carries({ type: "system_join_channel" }), named("channel_created"));
    expect((await ear.event("posted")).data.sender_name).toBe("System");
  });

  it("joining: user_added to the members and to the one who joined, then the post", async () => {
    const [alice, bob] = await pair();
    const channel = await world.channel([alice]);
    const ears = { alice: await world.listen(alice), bob: await world.listen(bob) };
    await bob.client.addToChannel(bob.id, channel.id);
    for (const ear of [ears.alice, ears.bob]) {
      const added = await ear.event("user_added");
      expect(added.data).toMatchObject({ team_id: world.team.id, user_id: bob.id });
      expect(added.broadcast?.channel_id).toBe(channel.id);
      const message = `${bob.username} joined the channel.`;
      await expectOrder(ear, named("user_added"), carries({ type: "system_join_channel", message }));
    }
  });

  it("adding another: the post says who, whom, and mentions the added one", async () => {
    const [alice, bob] = await pair();
    const channel = await world.channel([alice], "P");
    const ear = await world.listen(bob);
    await alice.client.addToChannel(bob.id, channel.id);
    const { data } = await ear.find(carries({ type: "system_add_to_channel" }));
    expect(JSON.parse(data.post)).toMatchObject({
      user_id: alice.id,
      props: { addedUserId: bob.id, addedUsername: bob.username, userId: alice.id, username: alice.username },
    });
    expect(JSON.parse(data.mentions)).toContain(bob.id);
  });

  it("leaving: user_removed to both sides, then the post to the rest", async () => {
    const [alice, bob] = await pair();
    const channel = await world.channel([alice, bob]);
    const ears = { alice: await world.listen(alice), bob: await world.listen(bob) };
    await bob.client.removeFromChannel(bob.id, channel.id);
    const rest = await ears.alice.event("user_removed");
    expect(rest.data).toEqual({ remover_id: bob.id, user_id: bob.id });
    expect(rest.broadcast?.channel_id).toBe(channel.id);
    const own = await ears.bob.event("user_removed");
    expect(own.data).toEqual({ channel_id: channel.id, remover_id: bob.id });
    expect(own.broadcast?.user_id).toBe(bob.id);
    await expectOrder(ears.alice, named("user_removed"), carries({ type: "system_leave_channel" }));
    await world.fence(bob, ears.bob);
    expect(ears.bob.frames.filter(carries({ type: "system_leave_channel" }))).toEqual([]);
  });

  it("removing another: the remover shows, and the removed one does not get the post", async () => {
    const [alice, bob] = await pair();
    const channel = await world.channel([alice, bob]);
    const ears = { alice: await world.listen(alice), bob: await world.listen(bob) };
    await alice.client.removeFromChannel(bob.id, channel.id);
    expect((await ears.bob.event("user_removed")).data).toEqual({
      channel_id: channel.id,
      remover_id: alice.id,
    });
    expect((await ears.alice.event("user_removed")).data).toEqual({ user_id: bob.id, remover_id: alice.id });
    const posted = await ears.alice.find(carries({ type: "system_remove_from_channel" }));
    expect(postOf(posted)).toMatchObject({
      props: { removedUserId: bob.id, removedUsername: bob.username },
    });
    await world.fence(bob, ears.bob);
    expect(ears.bob.frames.filter(carries({ type: "system_remove_from_channel" }))).toEqual([]);
  });

  it("a changed header: channel_updated, then the post with old and new", async () => {
    const [alice, bob] = await pair();
    const channel = await world.channel([alice, bob]);
    const ear = await world.listen(bob);
    await alice.client.patchChannel(channel.id, { header: "news" });
    const updated = await ear.event("channel_updated");
    expect(JSON.parse(updated.data.channel)).toMatchObject({ id: channel.id, header: "news" });
    const posted = await ear.find(carries({ type: "system_header_change" }));
    expect(postOf(posted)).toMatchObject({
      props: { old_header: "", new_header: "news", username: alice.username },
    });
    await expectOrder(ear, named("channel_updated"), carries({ type: "system_header_change" }));
  });

  it("channel_converted, channel_deleted after its post, channel_restored", async () => {
    const [alice, bob] = await pair();
    const channel = await world.channel([alice, bob]);
    const ear = await world.listen(bob);
    await world.admin.client.updateChannelPrivacy(channel.id, "P");
    expect((await ear.event("channel_converted")).data).toEqual({ channel_id: channel.id });
    await world.admin.client.updateChannelPrivacy(channel.id, "O");
    await world.fence(bob, ear);
    ear.clear();
    await alice.client.deleteChannel(channel.id);
    const deleted = await ear.event("channel_deleted");
    expect(deleted.data).toEqual({ channel_id: channel.id, delete_at: expect.any(Number) });
    expect(deleted.broadcast?.team_id).toBe(world.team.id);
    await expectOrder(ear, carries({ type: "system_channel_deleted" }), named("channel_deleted"));
    await world.admin.client.unarchiveChannel(channel.id);
    expect((await ear.event("channel_restored")).data).toEqual({ channel_id: channel.id });
  });

  it("channel_member_updated to the member alone", async () => {
    const [alice, bob] = await pair();
    const channel = await world.channel([alice, bob]);
    const ears = { alice: await world.listen(alice), bob: await world.listen(bob) };
    await bob.client.updateChannelNotifyProps({
      user_id: bob.id,
      channel_id: channel.id,
      mark_unread: "mention",
    });
    const updated = await ears.bob.event("channel_member_updated");
    expect(JSON.parse(updated.data.channelMember)).toMatchObject({
      channel_id: channel.id,
      user_id: bob.id,
      notify_props: { mark_unread: "mention", desktop: "default" },
    });
    await world.fence(alice, ears.alice);
    expect(ears.alice.events("channel_member_updated")).toEqual([]);
  });

  it("direct_added to both, for a new channel only", async () => {
    const [alice, bob] = await pair();
    const ears = [await world.listen(alice), await world.listen(bob)];
    const direct = await world.direct(alice, bob);
    for (const ear of ears) {
      const added = await ear.event("direct_added");
      expect(added.data).toEqual({ creator_id: alice.id, teammate_id: bob.id });
      expect(added.broadcast?.channel_id).toBe(direct.id);
      ear.clear();
    }
    await world.direct(bob, alice);
    await world.fence(bob, ears[1] as Listener);
    expect(ears[1]?.events("direct_added")).toEqual([]);
  });

  it("group_added to everybody in the group", async () => {
    const [alice, bob, carol] = (await world.people(3)) as [Person, Person, Person];
    const ear = await world.listen(carol);
    const group = await alice.client.createGroupChannel([alice.id, bob.id, carol.id]);
    const added = await ear.event("group_added");
    expect(JSON.parse(added.data.teammate_ids).sort()).toEqual([alice.id, bob.id, carol.id].sort());
    expect(added.broadcast?.channel_id).toBe(group.id);
  });

  it("adding to a team: the user's channels, then added_to_team; leaving: leave_team to the team", async () => {
    const [alice] = await pair();
    const newcomer = await world.person({ isOutsideTeam: true });
    const ears = { alice: await world.listen(alice), newcomer: await world.listen(newcomer) };
    await world.admin.client.addToTeam(world.team.id, newcomer.id);
    const added = await ears.newcomer.event("added_to_team");
    expect(added.data).toEqual({ team_id: world.team.id, user_id: newcomer.id });
    expect(added.broadcast?.user_id).toBe(newcomer.id);
    await ears.alice.event("user_added", (frame) => frame.data.user_id === newcomer.id);
    await newcomer.client.removeFromTeam(world.team.id, newcomer.id);
    const left = await ears.alice.event("leave_team");
    expect(left.data).toEqual({ team_id: world.team.id, user_id: newcomer.id });
    await ears.newcomer.event("leave_team");
  });

  it("update_team and memberrole_updated", async () => {
    const alice = await world.person();
    const ear = await world.listen(alice);
    await world.admin.client.patchTeam({ id: world.team.id, description: "busy" });
    const updated = await ear.event("update_team");
    expect(JSON.parse(updated.data.team)).toMatchObject({ id: world.team.id, description: "busy" });
    await world.admin.client.updateTeamMemberSchemeRoles(world.team.id, alice.id, true, true);
    const role = await ear.event("memberrole_updated");
    expect(JSON.parse(role.data.member)).toMatchObject({ user_id: alice.id, scheme_admin: true });
  });

  it("new_user to everybody, user_activation_status_change on deactivation, user_role_updated", async () => {
    const alice = await world.person();
    const ear = await world.listen(alice);
    const newcomer = await world.person();
    await ear.event("new_user", (frame) => frame.data.user_id === newcomer.id);
    await world.admin.client.updateUserActive(newcomer.id, false);
    expect((await ear.event("user_activation_status_change")).data).toEqual({});
    await ear.event(
      "user_updated",
      (frame) => frame.data.user.id === newcomer.id && frame.data.user.delete_at > 0,
    );
  });

  it("preferences_changed and preferences_deleted, each after an empty sidebar_category_updated", async () => {
    const alice = await world.person();
    const ear = await world.listen(alice);
    const preference = {
      user_id: alice.id,
      category: "display_settings",
      name: "name_format",
      value: "username",
    };
    await alice.client.savePreferences(alice.id, [preference]);
    const changed = await ear.event("preferences_changed");
    expect(JSON.parse(changed.data.preferences)).toEqual([preference]);
    await alice.client.deletePreferences(alice.id, [preference]);
    const deleted = await ear.event("preferences_deleted");
    expect(JSON.parse(deleted.data.preferences)).toEqual([preference]);
    const relevant = ["sidebar_category_updated", "preferences_changed", "preferences_deleted"];
    expect(ear.frames.flatMap(({ event = "" }) => (relevant.includes(event) ? event : []))).toEqual([
      "sidebar_category_updated",
      "preferences_changed",
      "sidebar_category_updated",
      "preferences_deleted",
    ]);
    expect(ear.events("sidebar_category_updated")[0]?.data).toEqual({});
  });

  it("a new picture: one user_updated with a new last_picture_update, to everybody", async () => {
    const [alice, bob] = await pair();
    const ear = await world.listen(bob);
    const before = (await bob.client.getUser(alice.id)).last_picture_update ?? 0;
    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    );
    await alice.client.uploadProfileImage(alice.id, new File([png], "a.png", { type: "image/png" }));
    const updated = await ear.event("user_updated", (frame) => frame.data.user.id === alice.id);
    expect(updated.data.user.last_picture_update).toBeGreaterThan(before);
  });

  it("categories: created, updated, order, deleted", async () => {
    const alice = await world.person();
    const ear = await world.listen(alice);
    const { client } = alice;
    const category = await client.createChannelCategory(alice.id, world.team.id, {
      user_id: alice.id,
      team_id: world.team.id,
      display_name: "Mine",
      channel_ids: [],
    } as never);
    const created = await ear.event("sidebar_category_created");
    expect(created.data).toEqual({ category_id: category.id });
    expect(created.broadcast).toMatchObject({ user_id: alice.id, team_id: world.team.id });
    await client.updateChannelCategory(alice.id, world.team.id, { ...category, display_name: "Ours" });
    const updated = await ear.event("sidebar_category_updated");
    expect(JSON.parse(updated.data.updatedCategories)[0].display_name).toBe("Ours");
    const order = await client.getChannelCategoryOrder(alice.id, world.team.id);
    await client.updateChannelCategoryOrder(alice.id, world.team.id, [...order].reverse());
    expect((await ear.event("sidebar_category_order_updated")).data.order).toEqual([...order].reverse());
    await client.deleteChannelCategory(alice.id, world.team.id, category.id);
    expect((await ear.event("sidebar_category_deleted")).data).toEqual({ category_id: category.id });
  });

  it("ephemeral_message to the one it is for", async () => {
    const [alice, bob] = await pair();
    const channel = await world.channel([alice, bob]);
    const ears = { alice: await world.listen(alice), bob: await world.listen(bob) };
    await world.admin.client.createPostEphemeral(bob.id, {
      channel_id: channel.id,
      message: "only you",
    } as never);
    const { data, broadcast } = await ears.bob.event("ephemeral_message");
    expect(JSON.parse(data.post)).toMatchObject({ message: "only you", type: "system_ephemeral" });
    expect(broadcast).toMatchObject({ user_id: bob.id, channel_id: channel.id });
    await world.fence(alice, ears.alice);
    expect(ears.alice.events("ephemeral_message")).toEqual([]);
  });

  it("typing over REST is the same event", async () => {
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

  it("threads: following and reading", async () => {
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
