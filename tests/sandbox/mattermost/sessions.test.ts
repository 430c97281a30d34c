import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Account,
  callMattermost,
  startTestMattermost,
  type TestMattermost,
} from "../../harness/start-mattermost.ts";

describe("sessions of the sandbox's Mattermost", () => {
  let server: TestMattermost;
  let alice: Account;
  let bob: Account;
  beforeAll(async () => {
    server = await startTestMattermost();
    alice = await server.account("alice");
    bob = await server.account("bob");
  });
  afterAll(() => server.close());

  async function login(): Promise<string> {
    const response = await fetch(`${server.url}/users/login`, {
      method: "POST",
      body: JSON.stringify({ login_id: "alice@example.com", password: "long enough" }),
    });
    return response.headers.get("token") ?? "";
  }
  const isAlive = async (token: string) =>
    (await callMattermost(server.url, token, "GET", "/users/me")).status === 200;

  it("are listed without their tokens, and only to their owner", async () => {
    const token = await login();
    const { body: sessions } = await callMattermost(server.url, token, "GET", "/users/me/sessions");
    expect(sessions.every((session: { token: string }) => session.token === "")).toBe(true);
    expect((await alice.api("GET", "/users/me")).status).toBe(200);
    const { body: again } = await alice.api("GET", "/users/me/sessions");
    expect(again.some(({ props }: { props: { type?: string } }) => props.type === "UserAccessToken")).toBe(
      true,
    );
    expect((await bob.api("GET", `/users/${alice.id}/sessions`)).status).toBe(403);
  });

  it("all end together, after which a personal token starts a new one", async () => {
    const token = await login();
    expect((await alice.api("POST", "/users/me/sessions/revoke/all")).status).toBe(200);
    expect([await isAlive(token), await isAlive(alice.token)]).toEqual([false, true]);
  });
});
