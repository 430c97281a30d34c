import { expect, it } from "vitest";
import { refusal } from "./support/call.ts";
import { describeMattermost } from "./support/world.ts";

const ID = /^[a-z0-9]{26}$/;
const FORBIDDEN = { status: 403, id: "api.context.permissions.app_error" };

describeMattermost("personal access tokens", (world) => {
  it("an admin creates a token for any user, and only that response shows its value", async () => {
    const bob = await world.person();
    const { status, body } = await world.call(world.admin, "POST", `/users/${bob.id}/tokens`, {
      description: "for tests",
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(ID),
      token: expect.stringMatching(ID),
      user_id: bob.id,
      description: "for tests",
      is_active: true,
      ...(body.expires_at !== undefined && { expires_at: 0 }),
    });
    expect((await world.call({ ...bob, token: body.token }, "GET", "/users/me")).body.id).toBe(bob.id);
    const listed = (await world.call(world.admin, "GET", `/users/${bob.id}/tokens`)).body;
    const row = listed.find(({ id }: { id: string }) => id === body.id);
    expect(row).toMatchObject({ user_id: bob.id, description: "for tests", is_active: true });
    expect(row.token ?? "").toBe("");
  });

  it("a description is required", async () => {
    const bob = await world.person();
    expect(
      (await world.call(world.admin, "POST", `/users/${bob.id}/tokens`, { description: "" })).status,
    ).toBe(400);
    expect((await world.call(world.admin, "POST", `/users/${bob.id}/tokens`, "nonsense")).status).toBe(400);
  });

  it("plain users can't create, list or revoke tokens", async () => {
    const bob = await world.person();
    const [row] = (await world.call(world.admin, "GET", `/users/${bob.id}/tokens`)).body;
    expect(await refusal(bob.client.createUserAccessToken(bob.id, "mine"))).toEqual(FORBIDDEN);
    expect(await refusal(bob.client.revokeUserAccessToken(row.id))).toEqual(FORBIDDEN);
    expect((await world.call(bob, "GET", `/users/${bob.id}/tokens`)).status).toBe(403);
    expect((await world.call(bob, "GET", "/users/tokens")).status).toBe(403);
  });

  it("revoking ends a token at once and permanently", async () => {
    const bob = await world.person();
    expect((await world.call(bob, "GET", "/users/me")).status).toBe(200);
    const [row] = (await world.call(world.admin, "GET", `/users/${bob.id}/tokens`)).body;
    expect(await world.admin.client.revokeUserAccessToken(row.id)).toEqual({ status: "OK" });
    const { status, body } = await world.call(bob, "GET", "/users/me");
    expect([status, body.id]).toEqual([401, "api.context.session_expired.app_error"]);
    expect((await world.call(world.admin, "GET", `/users/${bob.id}/tokens`)).body).toEqual([]);
    expect(await refusal(world.admin.client.revokeUserAccessToken(row.id))).toEqual({
      status: 404,
      id: "app.user_access_token.get_by_user.app_error",
    });
    const nameless = await world.call(world.admin, "POST", "/users/tokens/revoke", {});
    expect([400, 404]).toContain(nameless.status);
  });

  it("logging out with a token ends its session, and the token's next use opens another session", async () => {
    const bob = await world.person();
    const sessionsOf = async () => (await world.call(world.admin, "GET", `/users/${bob.id}/sessions`)).body;
    const [row] = (await world.call(world.admin, "GET", `/users/${bob.id}/tokens`)).body;
    expect((await world.call(bob, "GET", "/users/me")).status).toBe(200);
    const [before] = await sessionsOf();
    expect(before.props).toMatchObject({ type: "UserAccessToken", user_access_token_id: row.id });
    expect((await world.call(bob, "POST", "/users/logout")).body).toEqual({ status: "OK" });
    expect(await sessionsOf()).toEqual([]);
    expect((await world.call(bob, "GET", "/users/me")).status).toBe(200);
    const [after] = await sessionsOf();
    expect(after.id).not.toBe(before.id);
    expect(after.props.user_access_token_id).toBe(row.id);
  });

  it("an admin lists tokens without their values", async () => {
    await world.person();
    const all = (await world.call(world.admin, "GET", "/users/tokens?per_page=5")).body;
    expect(all.length).toBeGreaterThan(0);
    for (const row of all) expect(row.token ?? "").toBe("");
  });
});
