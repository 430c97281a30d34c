import { expect, it } from "vitest";
import { refusal } from "./support/call.ts";
import { describeMattermost, type Person } from "./support/world.ts";

const NOBODY = "a".repeat(26);
const FORBIDDEN = { status: 403, id: "api.context.permissions.app_error" };

describeMattermost("channel members", (world) => {
  const add = (person: Person, channelId: string, body: unknown) =>
    world.call(person, "POST", `/channels/${channelId}/members`, body);

  it("team members join public channels, with 201 each time", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const channel = await world.channel([alice]);
    const first = await add(bob, channel.id, { user_id: bob.id });
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({
      channel_id: channel.id,
      user_id: bob.id,
      roles: "channel_user",
      scheme_user: true,
      scheme_admin: false,
      explicit_roles: "",
      mention_count: 0,
      notify_props: {
        desktop: "default",
        email: "default",
        ignore_channel_mentions: "default",
        mark_unread: "all",
        push: "default",
      },
    });
    expect((await add(bob, channel.id, { user_id: bob.id })).status).toBe(201);
    const posts = (await world.call(alice, "GET", `/channels/${channel.id}/posts`)).body;
    const joins = Object.values(posts.posts as Record<string, { type: string; user_id: string }>).filter(
      ({ type, user_id }) => type === "system_join_channel" && user_id === bob.id,
    );
    expect(joins.length).toBeLessThanOrEqual(1);
  });

  it("private channels admit only users that a member adds", async () => {
    const [alice, bob, carol] = (await world.people(3)) as [Person, Person, Person];
    const secret = await world.channel([alice], "P");
    expect((await add(bob, secret.id, { user_id: bob.id })).status).toBe(403);
    expect((await add(alice, secret.id, { user_id: bob.id })).status).toBe(201);
    expect((await add(bob, secret.id, { user_id: carol.id })).status).toBe(201);
  });

  it("unknown users, users outside the team and direct channels are refused", async () => {
    const [alice, bob, carol] = (await world.people(3)) as [Person, Person, Person];
    const stranger = await world.person({ isOutsideTeam: true });
    const channel = await world.channel([alice]);
    const attempt = async (channelId: string, user_id: unknown) => {
      const { status, body } = await add(alice, channelId, { user_id });
      return [status, body.id];
    };
    expect((await attempt(channel.id, NOBODY))[0]).toBe(404);
    expect((await attempt(channel.id, "short"))[0]).toBe(400);
    expect(await attempt(channel.id, stranger.id)).toEqual([404, "app.team.get_member.missing.app_error"]);
    const direct = await world.direct(alice, bob);
    expect(await attempt(direct.id, carol.id)).toEqual([
      400,
      "api.channel.add_user_to_channel.type.app_error",
    ]);
    expect((await attempt(NOBODY, bob.id))[0]).toBe(404);
    expect((await add(carol, channel.id, { user_id: bob.id })).status).toBe(403);
  });

  it("new servers add several members at once", async () => {
    const [alice, bob, carol] = (await world.people(3)) as [Person, Person, Person];
    const channel = await world.channel([alice]);
    const { status, body } = await add(alice, channel.id, { user_ids: [bob.id, carol.id] });
    if (!world.answers.addsMembersAtOnce) {
      expect(status).toBe(400);
      return;
    }
    expect(status).toBe(201);
    expect(body.map(({ user_id }: { user_id: string }) => user_id).sort()).toEqual([bob.id, carol.id].sort());
  });

  it("members are listed and looked up", async () => {
    const [alice, bob, carol] = (await world.people(3)) as [Person, Person, Person];
    const channel = await world.channel([alice, bob], "P");
    const list = await alice.client.getChannelMembers(channel.id);
    expect(list.map(({ user_id }) => user_id).sort()).toEqual([alice.id, bob.id].sort());
    const some = await alice.client.getChannelMembersByIds(channel.id, [bob.id, carol.id]);
    expect(some.map(({ user_id }) => user_id)).toEqual([bob.id]);
    expect(await refusal(alice.client.getChannelMember(channel.id, carol.id))).toEqual({
      status: 404,
      id: "app.channel.get_member.missing.app_error",
    });
    expect(await refusal(carol.client.getChannelMembers(channel.id))).toMatchObject({ status: 403 });
    const mine = await bob.client.getMyChannelMembers(world.team.id);
    expect(mine.map(({ channel_id }) => channel_id)).toContain(channel.id);
  });

  it("new servers hide when others last viewed a channel", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const channel = await world.channel([alice, bob]);
    await world.post(bob, channel.id, "seen by bob");
    const other = await alice.client.getChannelMember(channel.id, bob.id);
    const own = await bob.client.getMyChannelMember(channel.id);
    expect(own.last_viewed_at).toBeGreaterThan(0);
    if (world.answers.hidesViews) expect([other.last_viewed_at, other.last_update_at]).toEqual([-1, -1]);
    else expect(other.last_viewed_at).toBe(own.last_viewed_at);
    expect("urgent_mention_count" in own).toBe(world.answers.hasUrgentMentions);
  });

  it("members leave and are removed, except from the default and direct channels", async () => {
    const [alice, bob, carol] = (await world.people(3)) as [Person, Person, Person];
    const channel = await world.channel([alice, bob]);
    expect(await bob.client.removeFromChannel(bob.id, channel.id)).toEqual({ status: "OK" });
    expect(await refusal(bob.client.removeFromChannel(bob.id, channel.id))).toEqual({
      status: 404,
      id: "app.channel.get_member.missing.app_error",
    });
    await add(alice, channel.id, { user_id: bob.id });
    expect(await refusal(carol.client.removeFromChannel(bob.id, channel.id))).toEqual(FORBIDDEN);
    expect(await alice.client.removeFromChannel(bob.id, channel.id)).toEqual({ status: "OK" });
    const square = await alice.client.getChannelByName(world.team.id, "town-square");
    expect(await refusal(alice.client.removeFromChannel(alice.id, square.id))).toEqual({
      status: 400,
      id: "api.channel.remove.default.app_error",
    });
    const direct = await world.direct(alice, bob);
    expect(await refusal(alice.client.removeFromChannel(alice.id, direct.id))).toEqual({
      status: 400,
      id: "api.channel.remove_channel_member.type.app_error",
    });
  });

  it("users change only the named notify props, and only their own", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const channel = await world.channel([alice, bob]);
    const path = `/channels/${channel.id}/members/${bob.id}/notify_props`;
    const { status, body } = await world.call(bob, "PUT", path, { mark_unread: "mention", desktop: "none" });
    expect([status, body]).toEqual([200, { status: "OK" }]);
    expect((await bob.client.getMyChannelMember(channel.id)).notify_props).toMatchObject({
      mark_unread: "mention",
      desktop: "none",
      email: "default",
      push: "default",
    });
    expect((await world.call(alice, "PUT", path, { mark_unread: "all" })).status).toBe(403);
    await world.call(bob, "PUT", path, "nonsense");
    expect((await bob.client.getMyChannelMember(channel.id)).notify_props.desktop).toBe("none");
  });

  it("channel admins are appointed by scheme roles", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const channel = await world.channel([alice, bob]);
    expect(await refusal(bob.client.updateChannelMemberSchemeRoles(channel.id, bob.id, true, true))).toEqual(
      FORBIDDEN,
    );
    expect(await alice.client.updateChannelMemberSchemeRoles(channel.id, bob.id, true, true)).toEqual({
      status: "OK",
    });
    expect((await bob.client.getMyChannelMember(channel.id)).scheme_admin).toBe(true);
  });

  it("members of several channels are counted at once if the server supports it", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const both = await world.channel([alice, bob]);
    const one = await world.channel([alice]);
    const closed = await world.channel([bob], "P");
    const count = (channelIds: string[]) =>
      world.call(alice, "POST", "/channels/stats/member_count", channelIds);
    const { status, body } = await count([both.id, one.id]);
    if (!world.answers.hasMemberCounts) return expect(status).toBe(404);
    expect([status, body]).toEqual([200, { [both.id]: 2, [one.id]: 1 }]);
    expect((await count([closed.id])).status).toBe(403);
  });

  it("new servers list a channel's admins before other members", async () => {
    const [alice, bob, carol] = (await world.people(3)) as [Person, Person, Person];
    const channel = await world.channel([alice, bob, carol]);
    await world.call(world.admin, "PUT", `/channels/${channel.id}/members/${carol.id}/schemeRoles`, {
      scheme_admin: true,
      scheme_user: true,
    });
    const list = (query: string) => world.call(alice, "GET", `/users?sort=admin${query}`);
    const refused = { status: 400, body: { id: "api.context.invalid_url_param.app_error" } };
    expect(await list("")).toMatchObject(refused);
    const listed = await list(`&in_channel=${channel.id}&active=true`);
    if (!world.answers.sortsManagersFirst) return expect(listed).toMatchObject(refused);
    const names = listed.body.map(({ username }: { username: string }) => username);
    // The channel's creator manages it.
    expect(names).toEqual([...[alice.username, carol.username].sort(), bob.username]);
  });
});
