import { expect, it } from "vitest";
import { refusal } from "./support/call.ts";
import { describeMattermost, type Person } from "./support/world.ts";

const NOBODY = "a".repeat(26);
const FORBIDDEN = { status: 403, id: "api.context.permissions.app_error" };
const MISSING = { status: 404, id: "app.channel.get_by_name.missing.app_error" };

const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).sort();

describeMattermost("channels", (world) => {
  const create = (person: Person, body: Record<string, unknown>) =>
    world.call(person, "POST", "/channels", {
      team_id: world.team.id,
      display_name: "A channel",
      type: "O",
      ...body,
    });

  it("creating a channel returns 201 and makes the creator a member and admin", async () => {
    const alice = await world.person();
    const name = world.name("c");
    const { status, body } = await create(alice, { name, header: "h", purpose: "p" });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      name,
      team_id: world.team.id,
      display_name: "A channel",
      type: "O",
      header: "h",
      purpose: "p",
      creator_id: alice.id,
      delete_at: 0,
      total_msg_count: 0,
      total_msg_count_root: 0,
    });
    expect("policy_enforced" in body).toBe(world.answers.hasChannelPolicy);
    const member = await alice.client.getMyChannelMember(body.id);
    expect(member).toMatchObject({
      scheme_admin: true,
      scheme_user: true,
      roles: "channel_user channel_admin",
    });
  });

  it("creation is refused for taken, archived and bad names, other types and users outside the team", async () => {
    const alice = await world.person();
    const taken = await world.channel([alice]);
    const again = await create(alice, { name: taken.name });
    expect([again.status, again.body.id]).toEqual([400, "store.sql_channel.save_channel.exists.app_error"]);
    await alice.client.deleteChannel(taken.id);
    expect((await create(alice, { name: taken.name })).status).toBe(400);
    for (const name of ["No Spaces", "", "UPPER"]) {
      const { status, body } = await create(alice, { name });
      expect([name, status, body.id]).toEqual([name, 400, "model.channel.is_valid.1_or_more.app_error"]);
    }
    expect((await create(alice, { name: "x".repeat(65) })).status).toBeGreaterThanOrEqual(400);
    expect((await create(alice, { name: world.name(), display_name: "x".repeat(65) })).status).toBe(400);
    expect((await create(alice, { name: world.name(), header: "x".repeat(1025) })).status).toBe(400);
    expect((await create(alice, { name: world.name(), purpose: "x".repeat(251) })).status).toBe(400);
    expect((await create(alice, { name: world.name(), type: "D" })).status).toBe(400);
    expect((await create(alice, { name: world.name(), team_id: "" })).status).toBe(
      world.answers.channelOfNoTeam,
    );
    const stranger = await world.person({ isOutsideTeam: true });
    expect((await create(stranger, { name: world.name() })).status).toBe(403);
  });

  it("public channels are visible to the team, private ones to members", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const stranger = await world.person({ isOutsideTeam: true });
    const open = await world.channel([alice]);
    const secret = await world.channel([alice], "P");
    expect((await bob.client.getChannel(open.id)).id).toBe(open.id);
    expect(await refusal(stranger.client.getChannel(open.id))).toMatchObject({ status: 403 });
    expect(await refusal(bob.client.getChannel(secret.id))).toEqual(FORBIDDEN);
    expect(await refusal(bob.client.getChannel(NOBODY))).toEqual({
      status: 404,
      id: "app.channel.get.existing.app_error",
    });
    expect((await bob.client.getChannelByName(world.team.id, open.name)).id).toBe(open.id);
    expect(await refusal(bob.client.getChannelByName(world.team.id, secret.name))).toEqual(MISSING);
    expect(await refusal(bob.client.getChannelByName(world.team.id, world.name("none")))).toEqual(MISSING);
  });

  it("archived channels are returned by name only on request", async () => {
    const alice = await world.person();
    const channel = await world.channel([alice]);
    await alice.client.deleteChannel(channel.id);
    expect((await refusal(alice.client.getChannelByName(world.team.id, channel.name))).status).toBe(404);
    expect(
      (await alice.client.getChannelByName(world.team.id, channel.name, true)).delete_at,
    ).toBeGreaterThan(0);
    expect((await alice.client.getChannel(channel.id)).delete_at).toBeGreaterThan(0);
  });

  it("members change only the named fields of a channel, and outsiders none", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const channel = await world.channel([alice]);
    const patched = await alice.client.patchChannel(channel.id, { header: "new", display_name: "New name" });
    expect(patched).toMatchObject({ header: "new", display_name: "New name", name: channel.name });
    expect(await refusal(bob.client.patchChannel(channel.id, { header: "mine" }))).toMatchObject({
      status: 403,
    });
    expect(
      (await world.call(alice, "PUT", `/channels/${channel.id}/patch`, { header: "x".repeat(1025) })).status,
    ).toBe(400);
  });

  it("a channel is archived and restored", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const channel = await world.channel([alice, bob]);
    expect(await alice.client.deleteChannel(channel.id)).toEqual({ status: "OK" });
    const refused = await world.call(bob, "POST", "/posts", { channel_id: channel.id, message: "late" });
    expect([refused.status, refused.body.id]).toEqual([
      400,
      "api.post.create_post.can_not_post_to_deleted.error",
    ]);
    expect(await refusal(bob.client.unarchiveChannel(channel.id))).toMatchObject({ status: 403 });
    expect((await world.admin.client.unarchiveChannel(channel.id)).id).toBe(channel.id);
    expect((await alice.client.getChannel(channel.id)).delete_at).toBe(0);
    const square = await alice.client.getChannelByName(world.team.id, "town-square");
    expect(await refusal(world.admin.client.deleteChannel(square.id))).toEqual({
      status: 400,
      id: "api.channel.delete_channel.cannot.app_error",
    });
  });

  it("a public channel becomes private and public again", async () => {
    const alice = await world.person();
    const channel = await world.channel([alice]);
    expect((await world.admin.client.updateChannelPrivacy(channel.id, "P")).type).toBe("P");
    expect((await world.admin.client.updateChannelPrivacy(channel.id, "O")).type).toBe("O");
    const square = await alice.client.getChannelByName(world.team.id, "town-square");
    expect(
      (await world.call(world.admin, "PUT", `/channels/${square.id}/privacy`, { privacy: "P" })).status,
    ).toBe(400);
    expect(
      (await world.call(world.admin, "PUT", `/channels/${channel.id}/privacy`, { privacy: "X" })).status,
    ).toBe(400);
  });

  it("members and pins are counted", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const channel = await world.channel([alice, bob]);
    const post = await world.post(alice, channel.id, "pin me");
    await alice.client.pinPost(post.id);
    expect(await alice.client.getChannelStats(channel.id)).toMatchObject({
      channel_id: channel.id,
      member_count: 2,
      guest_count: 0,
      pinnedpost_count: 1,
    });
  });

  it("a user's channels in a team are listed, including private and direct ones", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const open = await world.channel([alice]);
    const secret = await world.channel([alice], "P");
    const foreign = await world.channel([bob]);
    const direct = await world.direct(alice, bob);
    const mine = await alice.client.getMyChannels(world.team.id);
    expect(ids(mine)).toEqual(expect.arrayContaining(ids([open, secret, direct])));
    expect(ids(mine)).not.toContain(foreign.id);
    await alice.client.deleteChannel(open.id);
    expect(ids(await alice.client.getMyChannels(world.team.id))).not.toContain(open.id);
    const withArchived = await alice.client.getMyChannels(world.team.id, true);
    expect(ids(withArchived)).toContain(open.id);
    expect((await world.call(alice, "GET", `/users/${bob.id}/teams/${world.team.id}/channels`)).status).toBe(
      403,
    );
  });

  it("a team's public channels are listed", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const open = await world.channel([alice]);
    const secret = await world.channel([alice], "P");
    const listed = await bob.client.getChannels(world.team.id, 0, 200);
    expect(ids(listed)).toContain(open.id);
    expect(ids(listed)).not.toContain(secret.id);
  });

  it("a search finds channels by name", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const open = await world.channel([alice]);
    const secret = await world.channel([alice], "P");
    const term = open.name.slice(0, 8);
    expect(ids(await bob.client.searchChannels(world.team.id, term))).toEqual([open.id]);
    expect(await bob.client.searchChannels(world.team.id, secret.name)).toEqual([]);
    const archived = await world.channel([alice]);
    await alice.client.deleteChannel(archived.id);
    expect(ids(await bob.client.searchChannels(world.team.id, archived.name))).toEqual([archived.id]);
    expect((await world.call(bob, "POST", "/channels/search", { term })).status).toBe(403);
    const paged = { term, page: 0, per_page: 10 };
    const everywhere = await world.call(world.admin, "POST", "/channels/search", paged);
    expect(everywhere.body.total_count).toBe(1);
    expect(everywhere.body.channels[0]).toMatchObject({ id: open.id, team_name: world.team.name });
    const own = await world.call(alice, "POST", "/channels/search?system_console=false", {
      term: secret.name,
    });
    expect(ids(own.body)).toEqual([secret.id]);
  });

  it("admins search all of a team's channels, including archived and private ones", async () => {
    const [alice] = (await world.people(1)) as [Person];
    const open = await world.channel([alice]);
    const secret = await world.channel([alice], "P");
    const archived = await world.channel([alice]);
    await alice.client.deleteChannel(archived.id);
    const all = [open.id, secret.id, archived.id];
    const search = async (more: Record<string, unknown>) => {
      const whole = { term: "", team_ids: [world.team.id], page: 0, per_page: 10_000, ...more };
      const { status, body } = await world.call(world.admin, "POST", "/channels/search", whole);
      expect(status).toBe(200);
      const found = ids(body.channels);
      if (whole.page === 0) expect(body.total_count).toBe(found.length);
      return all.filter((id) => found.includes(id));
    };
    expect(await search({})).toEqual([open.id, secret.id]);
    expect(await search({ include_deleted: true })).toEqual(all);
    expect(await search({ deleted: true })).toEqual([archived.id]);
    expect(await search({ include_deleted: true, page: 1 })).toEqual([]);
    expect(await search({ include_deleted: true, team_ids: [NOBODY] })).toEqual([]);
  });

  it("a pair has one direct channel, named after both and returned with 201 each time", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const first = await world.call(alice, "POST", "/channels/direct", [alice.id, bob.id]);
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({
      type: "D",
      team_id: "",
      display_name: "",
      name: [alice.id, bob.id].sort().join("__"),
    });
    const second = await world.call(bob, "POST", "/channels/direct", [bob.id, alice.id]);
    expect([second.status, second.body.id]).toEqual([201, first.body.id]);
    const self = await world.call(alice, "POST", "/channels/direct", [alice.id, alice.id]);
    expect(self.body.name).toBe(`${alice.id}__${alice.id}`);
    const byName = await alice.client.getChannelByName(world.team.id, first.body.name);
    expect(byName.id).toBe(first.body.id);
  });

  it("a direct channel with a wrong number of users, with unknown users or between two others is refused", async () => {
    const [alice, bob, carol] = (await world.people(3)) as [Person, Person, Person];
    const attempt = async (body: unknown) => {
      const answer = await world.call(alice, "POST", "/channels/direct", body);
      return [answer.status, answer.body.id];
    };
    expect((await attempt([alice.id, bob.id, carol.id]))[0]).toBe(400);
    expect((await attempt([]))[0]).toBe(400);
    expect((await attempt([alice.id, "short"]))[0]).toBe(400);
    expect((await attempt([bob.id, carol.id]))[0]).toBe(403);
    expect(await attempt([alice.id, NOBODY])).toEqual([
      400,
      "api.channel.create_direct_channel.invalid_user.app_error",
    ]);
    expect((await attempt([alice.id]))[0]).toBe(world.answers.directToSelf);
    expect((await world.call(world.admin, "POST", "/channels/direct", [bob.id, carol.id])).status).toBe(201);
  });

  it("a group has at least three users including the caller, and the same users get the same group", async () => {
    const [alice, bob, carol] = (await world.people(3)) as [Person, Person, Person];
    const first = await world.call(alice, "POST", "/channels/group", [bob.id, carol.id]);
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({ type: "G", team_id: "" });
    expect(first.body.name).toMatch(/^[0-9a-f]{40}$/);
    expect(first.body.display_name).toBe(
      [alice, bob, carol]
        .map(({ username }) => username)
        .sort()
        .join(", "),
    );
    const second = await world.call(bob, "POST", "/channels/group", [alice.id, bob.id, carol.id]);
    expect([second.status, second.body.id]).toEqual([201, first.body.id]);
    const small = await world.call(alice, "POST", "/channels/group", [bob.id]);
    expect([small.status, small.body.id]).toEqual([400, "api.channel.create_group.bad_size.app_error"]);
    expect((await world.call(alice, "POST", "/channels/group", ["short", bob.id])).status).toBe(400);
  });
});
