import { expect, it } from "vitest";
import { refusal } from "./support/call.ts";
import { describeMattermost, type Person } from "./support/world.ts";

const NOBODY = "a".repeat(26);
const FORBIDDEN = { status: 403, id: "api.context.permissions.app_error" };

describeMattermost("teams", (world) => {
  async function make(owner: Person, more: Record<string, unknown> = {}) {
    const name = world.name("team");
    const { status, body } = await world.call(owner, "POST", "/teams", {
      name,
      display_name: name,
      type: "O",
      ...more,
    });
    expect(status).toBe(201);
    return body;
  }

  it("creating a team adds two channels and makes the creator its admin", async () => {
    const alice = await world.person({ isOutsideTeam: true });
    const team = await make(alice);
    expect(team).toMatchObject({
      type: "O",
      delete_at: 0,
      email: alice.email,
      allow_open_invite: false,
      scheme_id: null,
    });
    expect("cloud_limits_archived" in team).toBe(world.answers.hasTeamLimits);
    const member = await alice.client.getTeamMember(team.id, alice.id);
    expect(member).toMatchObject({
      scheme_admin: true,
      scheme_user: true,
      roles: "team_user team_admin",
      delete_at: 0,
    });
    const channels = (await world.call(alice, "GET", `/users/me/teams/${team.id}/channels`)).body;
    expect(channels.map(({ name }: { name: string }) => name).sort()).toEqual(["off-topic", "town-square"]);
  });

  it("taken and bad names are refused", async () => {
    const attempt = async (name: string) => {
      const { status, body } = await world.call(world.admin, "POST", "/teams", {
        name,
        display_name: "x",
        type: "O",
      });
      return [status, body.id];
    };
    expect(await attempt(world.team.name)).toEqual(world.answers.takenTeamName);
    expect(await attempt("No Spaces!")).toEqual([400, "model.team.is_valid.characters.app_error"]);
    expect((await attempt("admin"))[0]).toBe(400);
  });

  it("members see a team, and others only an open one", async () => {
    const stranger = await world.person({ isOutsideTeam: true });
    const closed = await make(world.admin);
    const open = await make(world.admin, { allow_open_invite: true });
    expect((await stranger.client.getTeam(open.id)).id).toBe(open.id);
    expect(await refusal(stranger.client.getTeam(closed.id))).toEqual(FORBIDDEN);
    expect((await world.admin.client.getTeamByName(closed.name)).id).toBe(closed.id);
    expect(await refusal(world.admin.client.getTeam(NOBODY))).toEqual({
      status: 404,
      id: "app.team.get.find.app_error",
    });
    expect(await refusal(world.admin.client.getTeamByName(world.name("none")))).toEqual({
      status: 404,
      id: "app.team.get_by_name.missing.app_error",
    });
  });

  it("plain members do not see a team's e-mail address, and admins see its invite id", async () => {
    const bob = await world.person();
    const seen = await bob.client.getTeam(world.team.id);
    expect(seen.email).toBe("");
    const own = await world.admin.client.getTeam(world.team.id);
    expect(own.invite_id).toMatch(/^[a-z0-9]{26}$/);
  });

  it("permitted users add members, with 201 each time", async () => {
    const alice = await world.person({ isOutsideTeam: true });
    const bob = await world.person({ isOutsideTeam: true });
    const team = await make(alice);
    const add = (person: Person, user: string, id = team.id) =>
      world.call(person, "POST", `/teams/${team.id}/members`, { team_id: id, user_id: user });
    expect((await add(bob, bob.id)).status).toBe(403);
    const added = await add(alice, bob.id);
    expect([added.status, added.body.user_id]).toEqual([201, bob.id]);
    expect(added.body).toMatchObject({
      team_id: team.id,
      roles: "team_user",
      scheme_admin: false,
      explicit_roles: "",
    });
    expect((await add(alice, bob.id)).status).toBe(201);
    expect((await add(alice, bob.id, NOBODY)).status).toBe(400);
    expect((await add(alice, NOBODY)).status).toBe(404);
    const open = await make(alice, { allow_open_invite: true });
    const joined = await world.call(bob, "POST", `/teams/${open.id}/members`, {
      team_id: open.id,
      user_id: bob.id,
    });
    expect(joined.status).toBe(201);
  });

  it("members are looked up and counted", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const some = await alice.client.getTeamMembersByIds(world.team.id, [bob.id, NOBODY]);
    expect(some.map(({ user_id }) => user_id)).toEqual([bob.id]);
    expect(await refusal(alice.client.getTeamMember(world.team.id, NOBODY))).toEqual({
      status: 404,
      id: "app.team.get_member.missing.app_error",
    });
    const stats = await alice.client.getTeamStats(world.team.id);
    expect(stats.team_id).toBe(world.team.id);
    expect(stats.total_member_count).toBeGreaterThanOrEqual(3);
    expect(stats.active_member_count).toBeLessThanOrEqual(stats.total_member_count);
  });

  it("removing a member also removes them from the team's channels", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const channel = await world.channel([alice, bob]);
    expect(await refusal(alice.client.removeFromTeam(world.team.id, bob.id))).toEqual(FORBIDDEN);
    expect(await bob.client.removeFromTeam(world.team.id, bob.id)).toEqual({ status: "OK" });
    const members = (await world.call(alice, "GET", `/channels/${channel.id}/members`)).body;
    expect(members.map(({ user_id }: { user_id: string }) => user_id)).toEqual([alice.id]);
    expect((await world.call(bob, "GET", `/teams/${world.team.id}`)).status).toBe(403);
  });

  it("permitted users appoint admins and archive the team", async () => {
    const alice = await world.person({ isOutsideTeam: true });
    const bob = await world.person({ isOutsideTeam: true });
    const team = await make(alice);
    await alice.client.addToTeam(team.id, bob.id);
    expect(await refusal(bob.client.deleteTeam(team.id))).toEqual(FORBIDDEN);
    expect(await alice.client.updateTeamMemberSchemeRoles(team.id, bob.id, true, true)).toEqual({
      status: "OK",
    });
    expect(await bob.client.deleteTeam(team.id)).toEqual({ status: "OK" });
    expect((await world.admin.client.getTeam(team.id)).delete_at).toBeGreaterThan(0);
  });

  it("an archived team is restored", async () => {
    const team = await make(world.admin);
    await world.admin.client.deleteTeam(team.id);
    expect((await world.call(await world.person(), "POST", `/teams/${team.id}/restore`)).status).toBe(403);
    expect((await world.admin.client.unarchiveTeam(team.id)).delete_at).toBe(0);
  });
});
