import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RequestInfo } from "../../../sandbox/mattermost/serve.ts";
import { type Account, startTestMattermost, type TestMattermost } from "../../harness/start-mattermost.ts";

describe("administration of the sandbox's Mattermost", () => {
  const calls: RequestInfo[] = [];
  let server: TestMattermost;
  let alice: Account;
  let bob: Account;
  beforeEach(async () => {
    server = await startTestMattermost({ onRequest: (info) => calls.push(info) });
    alice = await server.account("alice");
    bob = await server.account("bob");
  });
  afterEach(() => server.close());

  it("records answered calls: method, path without query, status, and the caller on known paths", async () => {
    calls.length = 0;
    await alice.api("GET", "/users/me?x=1");
    await alice.api("GET", "/nosuch");
    expect(calls).toEqual([
      { method: "GET", path: "/api/v4/users/me", userId: alice.id, status: 200 },
      { method: "GET", path: "/api/v4/nosuch", userId: "", status: 404 },
    ]);
  });

  it("lets only admins grant system roles, one of which permits creating tokens", async () => {
    const set = (by: Account["api"], roles: string) => by("PUT", `/users/${bob.id}/roles`, { roles });
    expect((await set(alice.api, "system_user")).status).toBe(403);
    expect((await set(server.admin, "system_wizard")).status).toBe(400);
    const make = () => bob.api("POST", "/users/me/tokens", { description: "own" });
    expect((await make()).status).toBe(403);
    expect((await set(server.admin, "system_user system_user_access_token")).status).toBe(200);
    expect((await make()).status).toBe(200);
    expect((await bob.api("POST", `/users/${alice.id}/tokens`, { description: "hers" })).status).toBe(403);
    await set(server.admin, "system_user");
  });

  it("lets only admins, and not the user, deactivate a user by DELETE", async () => {
    const carol = await server.account("carol");
    const own = await carol.api("DELETE", `/users/${carol.id}`);
    expect([own.status, own.body.id]).toEqual([401, "api.user.update_active.not_enable.app_error"]);
    expect((await alice.api("DELETE", `/users/${carol.id}`)).status).toBe(403);
    expect((await server.admin("DELETE", `/users/${carol.id}`)).status).toBe(200);
    expect((await carol.api("GET", "/users/me")).status).toBe(401);
    expect((await server.admin("GET", `/users/${carol.id}`)).body.delete_at).toBeGreaterThan(0);
  });

  it("reports its limits and the number of its users, but the number of active ones only to admins", async () => {
    const none = { maxUsersLimit: 0, maxUsersHardLimit: 0, postHistoryLimit: 0, lastAccessiblePostTime: 0 };
    expect((await alice.api("GET", "/limits/server")).body).toEqual({ ...none, activeUserCount: 0 });
    expect((await server.admin("GET", "/limits/server")).body).toEqual({ ...none, activeUserCount: 3 });
    expect((await alice.api("GET", "/users/stats")).body).toEqual({ total_users_count: 3 });
  });

  it("refuses an oversized body and an invalid path, and continues", async () => {
    const large = await alice.api("POST", "/posts", {
      channel_id: "x",
      message: "y".repeat(5 * 1024 * 1024),
    });
    expect([large.status, large.body.id]).toEqual([413, "api.context.request_too_large.app_error"]);
    expect((await alice.api("GET", "/users/%E0%A4%A")).status).toBe(404);
    expect((await alice.api("GET", "/users/me")).status).toBe(200);
    expect(server.faults).toEqual([]);
  });
});
