import { expect, it } from "vitest";
import { describeMattermost, type Person } from "./support/world.ts";

describeMattermost("login and sessions", (world) => {
  it("a login by name or e-mail address returns a token in the header and no cookies", async () => {
    const bob = await world.person();
    for (const login_id of [bob.username, bob.email]) {
      const { status, body, headers } = await world.call(null, "POST", "/users/login", {
        login_id,
        password: bob.password,
      });
      expect([status, body.id]).toEqual([200, bob.id]);
      expect(headers.get("token")).toMatch(/^[a-z0-9]{26}$/);
      expect(headers.getSetCookie()).toEqual([]);
    }
  });

  it("a wrong password, a missing one and a deactivated user are refused", async () => {
    const bob = await world.person();
    const login = (password: string) =>
      world.call(null, "POST", "/users/login", { login_id: bob.username, password });
    const wrong = await login("wrong");
    expect([wrong.status, wrong.body.id]).toEqual([401, "api.user.login.invalid_credentials_email_username"]);
    const blank = await login("");
    expect([blank.status, blank.body.id]).toEqual([400, "api.user.login.blank_pwd.app_error"]);
    await world.admin.client.updateUserActive(bob.id, false);
    const inactive = await login(bob.password);
    expect([inactive.status, inactive.body.id]).toEqual([401, "api.user.login.inactive.app_error"]);
  });

  it("logout ends the session", async () => {
    const bob = await world.person();
    const { headers } = await world.call(null, "POST", "/users/login", {
      login_id: bob.username,
      password: bob.password,
    });
    const session = { ...bob, token: headers.get("token") ?? "" };
    expect((await world.call(session, "GET", "/users/me")).status).toBe(200);
    expect((await world.call(session, "POST", "/users/logout")).body).toEqual({ status: "OK" });
    expect((await world.call(session, "GET", "/users/me")).status).toBe(401);
    expect((await world.call(bob, "GET", "/users/me")).status).toBe(200);
  });

  it("users change a password with the current one, and admins without it", async () => {
    const bob = await world.person();
    const next = `Bb2?${world.name()}`;
    const wrong = await world.call(bob, "PUT", `/users/${bob.id}/password`, {
      current_password: "wrong",
      new_password: next,
    });
    expect(wrong.status).toBe(400);
    await bob.client.updateUserPassword(bob.id, bob.password, next);
    const login = (password: string) =>
      world.call(null, "POST", "/users/login", { login_id: bob.username, password });
    expect((await login(bob.password)).status).toBe(401);
    expect((await login(next)).status).toBe(200);
    const byAdmin = await world.call(world.admin, "PUT", `/users/${bob.id}/password`, {
      new_password: bob.password,
    });
    expect(byAdmin.status).toBe(200);
    expect((await login(bob.password)).status).toBe(200);
  });

  it("sessions are listed without their tokens", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    await world.call(bob, "GET", "/users/me");
    const sessions = await bob.client.getSessions(bob.id);
    expect(sessions.length).toBeGreaterThan(0);
    for (const session of sessions) expect(session).toMatchObject({ user_id: bob.id, token: "" });
    const personal = sessions.find(
      ({ props }) => (props as Record<string, string>).type === "UserAccessToken",
    );
    expect((personal?.props as Record<string, string> | undefined)?.user_access_token_id).toMatch(
      /^[a-z0-9]{26}$/,
    );
    expect((await world.call(alice, "GET", `/users/${bob.id}/sessions`)).status).toBe(403);
  });

  it("an admin ends all sessions of a user", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const login = async () => {
      const { headers } = await world.call(null, "POST", "/users/login", {
        login_id: bob.username,
        password: bob.password,
      });
      return { ...bob, token: headers.get("token") ?? "" };
    };
    const status = async (person: Person) => (await world.call(person, "GET", "/users/me")).status;
    const [one, other] = [await login(), await login()];
    const sessions = await world.call(one, "GET", `/users/${bob.id}/sessions`);
    const plain = sessions.body.filter(
      ({ props }: { props: { type?: string } }) => props.type !== "UserAccessToken",
    );
    expect(plain).toHaveLength(2);
    expect((await world.call(alice, "POST", `/users/${bob.id}/sessions/revoke/all`)).status).toBe(403);
    expect([await status(one), await status(other)]).toEqual([200, 200]);
    expect((await world.call(world.admin, "POST", `/users/${bob.id}/sessions/revoke/all`)).status).toBe(200);
    expect([await status(one), await status(other)]).toEqual([401, 401]);
  });
});
