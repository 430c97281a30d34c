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
    expect(await world.admin.client.checkIfTeamExists(closed.name)).toEqual({ exists: true });
    expect(await world.admin.client.checkIfTeamExists(world.name("none"))).toEqual({ exists: false });
  });

  it("plain members see neither e-mail nor invite id", async () => {
    const bob = await world.person();
    const seen = await bob.client.getTeam(world.team.id);
    expect(seen.email).toBe("");
    const own = await world.admin.client.getTeam(world.team.id);
    expect(own.invite_id).toMatch(/^[a-z0-9]{26}$/);
  });

  it("permitted users add members, with 201, repeatably", async () => {
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

  it("many members are added at once", async () => {
    const one = await world.person({ isOutsideTeam: true });
    const other = await world.person({ isOutsideTeam: true });
    const { status, body } = await world.call(world.admin, "POST", `/teams/${world.team.id}/members/batch`, [
      { team_id: world.team.id, user_id: one.id },
      { team_id: world.team.id, user_id: other.id },
    ]);
    expect(status).toBe(201);
    expect(body.map(({ user_id }: { user_id: string }) => user_id).sort()).toEqual([one.id, other.id].sort());
    const graceful = await world.admin.client.addUsersToTeamGracefully(world.team.id, [one.id]);
    expect(graceful[0]).toMatchObject({ user_id: one.id, member: { team_id: world.team.id } });
  });

  it("members are listed and found", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const list = (await world.call(alice, "GET", `/teams/${world.team.id}/members?per_page=200`)).body;
    expect(list.map(({ user_id }: { user_id: string }) => user_id)).toEqual(
      expect.arrayContaining([alice.id, bob.id]),
    );
    const some = await alice.client.getTeamMembersByIds(world.team.id, [bob.id, NOBODY]);
    expect(some.map(({ user_id }) => user_id)).toEqual([bob.id]);
    expect(await refusal(alice.client.getTeamMember(world.team.id, NOBODY))).toEqual({
      status: 404,
      id: "app.team.get_member.missing.app_error",
    });
    const stranger = await world.person({ isOutsideTeam: true });
    expect((await world.call(stranger, "GET", `/teams/${world.team.id}/members`)).status).toBe(403);
    const stats = await alice.client.getTeamStats(world.team.id);
    expect(stats.team_id).toBe(world.team.id);
    expect(stats.total_member_count).toBeGreaterThanOrEqual(3);
    expect(stats.active_member_count).toBeLessThanOrEqual(stats.total_member_count);
  });

  it("users list their teams and memberships", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    expect((await alice.client.getMyTeams()).map(({ id }) => id)).toEqual([world.team.id]);
    expect((await alice.client.getMyTeamMembers()).map(({ team_id }) => team_id)).toEqual([world.team.id]);
    expect((await world.call(alice, "GET", `/users/${bob.id}/teams`)).status).toBe(403);
  });

  it("removing a member also removes them from all the team's channels", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const channel = await world.channel([alice, bob]);
    expect(await refusal(alice.client.removeFromTeam(world.team.id, bob.id))).toEqual(FORBIDDEN);
    expect(await bob.client.removeFromTeam(world.team.id, bob.id)).toEqual({ status: "OK" });
    const members = (await world.call(alice, "GET", `/channels/${channel.id}/members`)).body;
    expect(members.map(({ user_id }: { user_id: string }) => user_id)).toEqual([alice.id]);
    expect((await world.call(bob, "GET", `/teams/${world.team.id}`)).status).toBe(403);
  });

  it("permitted users patch, appoint admins and archive", async () => {
    const alice = await world.person({ isOutsideTeam: true });
    const bob = await world.person({ isOutsideTeam: true });
    const team = await make(alice);
    await alice.client.addToTeam(team.id, bob.id);
    expect((await alice.client.patchTeam({ id: team.id, description: "new" })).description).toBe("new");
    expect(await refusal(bob.client.patchTeam({ id: team.id, description: "mine" }))).toEqual(FORBIDDEN);
    expect(await alice.client.updateTeamMemberSchemeRoles(team.id, bob.id, true, true)).toEqual({
      status: "OK",
    });
    expect((await bob.client.patchTeam({ id: team.id, description: "mine" })).description).toBe("mine");
    expect(await alice.client.deleteTeam(team.id)).toEqual({ status: "OK" });
    expect((await world.admin.client.getTeam(team.id)).delete_at).toBeGreaterThan(0);
  });

  it("an archived team can be restored", async () => {
    const team = await make(world.admin);
    await world.admin.client.deleteTeam(team.id);
    expect((await world.call(await world.person(), "POST", `/teams/${team.id}/restore`)).status).toBe(403);
    expect((await world.admin.client.unarchiveTeam(team.id)).delete_at).toBe(0);
  });

  it("admins list all teams, archived ones included, and users the open ones", async () => {
    // A name that sorts first, since a server may have any number of teams.
    const display_name = `!!${String(2 ** 45 - Date.now()).padStart(15, "0")}`;
    const closed = await make(world.admin, { display_name });
    const open = await make(world.admin, { display_name, allow_open_invite: true });
    await world.admin.client.deleteTeam(closed.id);
    const list = async (person: Person) => {
      const { body } = await world.call(person, "GET", "/teams?per_page=200");
      return body.map(({ id }: { id: string }) => id);
    };
    expect(await list(world.admin)).toEqual(expect.arrayContaining([closed.id, open.id]));
    const seen = await list(await world.person());
    expect(seen).toContain(open.id);
    expect(seen).not.toContain(closed.id);
  });
});
