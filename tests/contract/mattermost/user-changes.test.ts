import { expect, it } from "vitest";
import { refusal } from "./support/call.ts";
import { describeMattermost, type Person } from "./support/world.ts";

describeMattermost("changing users", (world) => {
  it("users and admins change only the named fields", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const patched = await bob.client.patchUser({ id: bob.id, nickname: "Bobby", props: { a: "b" } } as never);
    expect(patched).toMatchObject({ nickname: "Bobby", username: bob.username, props: { a: "b" } });
    expect(patched).toHaveProperty("notify_props");
    const byAdmin = await world.admin.client.patchUser({ id: bob.id, first_name: "Robert" } as never);
    expect(byAdmin).toMatchObject({ nickname: "Bobby", first_name: "Robert" });
    expect(await refusal(alice.client.patchUser({ id: bob.id, nickname: "x" } as never))).toEqual({
      status: 403,
      id: "api.context.permissions.app_error",
    });
    expect(
      (await world.call(bob, "PUT", `/users/${bob.id}/patch`, { nickname: "x".repeat(65) })).status,
    ).toBe(400);
  });

  it("deactivation ends sessions, and personal tokens work again after reactivation", async () => {
    const bob = await world.person();
    expect(await world.admin.client.updateUserActive(bob.id, false)).toEqual({ status: "OK" });
    expect((await world.call(bob, "GET", "/users/me")).status).toBe(401);
    const seen = await world.admin.client.getUser(bob.id);
    expect(seen.delete_at).toBeGreaterThan(0);
    await world.admin.client.updateUserActive(bob.id, true);
    expect((await world.call(bob, "GET", "/users/me")).status).toBe(200);
    expect((await world.admin.client.getUser(bob.id)).delete_at).toBe(0);
  });

  it("only admins deactivate users", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    expect(await refusal(alice.client.updateUserActive(bob.id, false))).toEqual({
      status: 403,
      id: "api.user.update_active.permissions.app_error",
    });
    expect(await refusal(bob.client.updateUserActive(bob.id, false))).toEqual({
      status: 401,
      id: "api.user.update_active.not_enable.app_error",
    });
  });

  it("an admin deactivates a user by DELETE", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    expect((await world.call(alice, "DELETE", `/users/${bob.id}`)).status).toBe(403);
    expect((await world.call(world.admin, "DELETE", `/users/${bob.id}`)).body).toEqual({ status: "OK" });
    expect((await world.call(bob, "GET", "/users/me")).status).toBe(401);
    expect((await world.admin.client.getUser(bob.id)).delete_at).toBeGreaterThan(0);
  });

  it("an admin grants a user system roles and revokes them", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    expect(
      (await world.call(alice, "PUT", `/users/${bob.id}/roles`, { roles: "system_user system_admin" }))
        .status,
    ).toBe(403);
    const ear = await world.listen(bob);
    expect(await world.admin.client.updateUserRoles(bob.id, "system_user system_admin")).toEqual({
      status: "OK",
    });
    const told = await ear.event("user_role_updated");
    expect(told.data).toMatchObject({ user_id: bob.id, roles: "system_user system_admin" });
    expect((await bob.client.getMe()).roles).toBe("system_user system_admin");
    expect((await world.call(bob, "GET", "/users/tokens?per_page=1")).status).toBe(200);
    await world.admin.client.updateUserRoles(bob.id, "system_user");
    expect((await world.call(bob, "GET", "/users/tokens?per_page=1")).status).toBe(403);
    expect(
      (await world.call(world.admin, "PUT", `/users/${bob.id}/roles`, { roles: "nonsense" })).status,
    ).toBe(400);
  });
});
