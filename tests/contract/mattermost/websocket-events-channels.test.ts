import { expect, it } from "vitest";
import { carries, expectOrder, type Frame, type Listener, named } from "./support/listener.ts";
import { describeMattermost, type Person } from "./support/world.ts";

const postOf = (frame: Frame) => JSON.parse(frame.data.post);

describeMattermost("websocket: events of channels", (world) => {
  const pair = async () => (await world.people(2)) as [Person, Person];

  it("creating a channel sends the join post, then channel_created to its creator", async () => {
    const alice = await world.person();
    const ear = await world.listen(alice);
    const channel = await world.channel([alice]);
    const created = await ear.event("channel_created");
    expect(created.data).toEqual({ channel_id: channel.id, team_id: world.team.id });
    expect(created.broadcast?.user_id).toBe(alice.id);
    await expectOrder(ear, carries({ type: "system_join_channel" }), named("channel_created"));
    expect((await ear.event("posted")).data.sender_name).toBe("System");
  });

  it("joining sends user_added to the members and the joiner, then the post", async () => {
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

  it("adding another user sends a post that names both users and mentions the added one", async () => {
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

  it("leaving sends user_removed to the user and the members, then the post to the members", async () => {
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

  it("removing another user names the remover and hides the post from the removed user", async () => {
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

  it("a changed header sends channel_updated, then the post with the old and new header", async () => {
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

  it("converting, archiving and restoring send channel_converted, channel_deleted after its post, and channel_restored", async () => {
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

  it("channel_member_updated reaches only the member", async () => {
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

  it("direct_added reaches both users, for a new channel only", async () => {
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

  it("group_added reaches an added user, and lists the whole group", async () => {
    const [alice, bob, carol] = (await world.people(3)) as [Person, Person, Person];
    const ear = await world.listen(carol);
    const group = await alice.client.createGroupChannel([alice.id, bob.id, carol.id]);
    const added = await ear.event("group_added");
    expect(JSON.parse(added.data.teammate_ids).sort()).toEqual([alice.id, bob.id, carol.id].sort());
    expect(added.broadcast?.channel_id).toBe(group.id);
  });
});
