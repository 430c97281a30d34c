import { describe, expect, it } from "vitest";
import { startTestMattermost } from "../../harness/start-mattermost.ts";

describe("accounts of the sandbox's Mattermost", () => {
  it("stop at the limit of active users, on creation and activation, but allow a replacement", async () => {
    // The operator is one of the three users.
    const server = await startTestMattermost({ maxUsers: 3 });
    const create = (name: string) =>
      server.admin("POST", "/users", {
        username: name,
        email: `${name}@example.com`,
        password: "long enough",
      });
    const first = await create("first");
    expect((await create("second")).status).toBe(201);
    const refused = await create("third");
    expect([refused.status, refused.body.id]).toEqual([400, "api.user.create_user.user_limits.exceeded"]);
    const setActive = (active: boolean) => server.admin("PUT", `/users/${first.body.id}/active`, { active });
    expect((await setActive(false)).status).toBe(200);
    expect((await create("third")).status).toBe(201);
    expect((await setActive(true)).body.id).toBe("api.user.create_user.user_limits.exceeded");
    await server.close();
  });

  it("are created by sign-up only on an open server or with an invitation", async () => {
    const closed = await startTestMattermost();
    const open = await startTestMattermost({ enableOpenServer: true });
    const signUp = (url: string, query = "") =>
      fetch(`${url}/users${query}`, {
        method: "POST",
        body: JSON.stringify({
          username: "stranger",
          email: "stranger@example.com",
          password: "long enough",
        }),
      });
    const refused = await signUp(closed.url);
    expect([refused.status, (await refused.json()).id]).toEqual([403, "api.user.create_user.no_open_server"]);
    expect((await signUp(open.url)).status).toBe(201);
    const { body: team } = await closed.admin("GET", `/teams/${closed.teamId}`);
    expect((await signUp(closed.url, "?iid=nobody")).status).toBe(400);
    const invited = await signUp(closed.url, `?iid=${team.invite_id}`);
    expect(invited.status).toBe(201);
    const { id } = await invited.json();
    expect((await closed.admin("GET", `/teams/${closed.teamId}/members/${id}`)).status).toBe(200);
    await Promise.all([open.close(), closed.close()]);
  });

  it("can't use personal tokens while those are disabled, not even the operator", async () => {
    const off = await startTestMattermost({ enableUserAccessTokens: false });
    const { status, body } = await off.admin("GET", "/users/me");
    expect([status, body.id]).toEqual([401, "api.context.session_expired.app_error"]);
    await off.close();
  });

  it("fill a team only to its limit, which only admins see and change", async () => {
    const small = await startTestMattermost({ maxUsersPerTeam: 2 });
    const ann = await small.account("ann");
    const late = { team_id: small.teamId, user_id: (await small.account("ben")).id };
    const join = () => small.admin("POST", `/teams/${small.teamId}/members`, late);
    expect((await join()).body.id).toBe("app.team.join_user_to_team.save_member.max_accounts.app_error");
    expect((await ann.api("GET", "/config")).status).toBe(403);
    const more = { TeamSettings: { MaxUsersPerTeam: 3 } };
    expect((await ann.api("PUT", "/config/patch", more)).status).toBe(403);
    expect((await small.admin("PUT", "/config/patch", more)).body).toMatchObject(more);
    expect((await join()).status).toBe(201);
    await small.close();
  });

  it("include an operator whose name no chain account can have", async () => {
    const server = await startTestMattermost();
    const { body } = await server.admin("GET", "/users/me");
    expect(body.roles.split(" ")).toContain("system_admin");
    expect(body.username).toMatch(/_/);
    const { body: team } = await server.admin("GET", `/teams/${server.teamId}`);
    expect(team).toMatchObject({ name: "hivegate", type: "I", allow_open_invite: false });
    await server.close();
  });
});
