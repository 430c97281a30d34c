import { describe, expect, it } from "vitest";
import { openChatWorld } from "../../harness/open-chat-world.ts";

const { world, alice } = await openChatWorld("alice");

describe("GET /me", () => {
  it("returns the token's user without private fields", async () => {
    const { status, body } = await alice.api("GET", "/me");
    expect(status).toBe(200);
    expect(body.user).toMatchObject({ id: alice.id, username: "alice" });
    expect(Object.keys(body.user).sort()).toEqual(
      ["first_name", "id", "last_name", "last_picture_update", "nickname", "username"].sort(),
    );
  });

  it("takes one Mattermost call", async () => {
    world.proxy.forget();
    await alice.api("GET", "/me");
    expect(world.proxy.calls()).toEqual(["GET /users/me"]);
  });

  it("returns 401 for a token unknown to Mattermost", async () => {
    const { status, body } = await alice.api("GET", "/me", undefined, {
      authorization: `Bearer ${"x".repeat(26)}`,
    });
    expect(status).toBe(401);
    expect(body.code).toBe("unauthorized");
  });

  it("accepts the token from the cookie", async () => {
    const headers = { authorization: "Basic eDp5", cookie: `chat_pat=${alice.pat}` };
    expect((await alice.api("GET", "/me", undefined, headers)).body.user.id).toBe(alice.id);
  });
});
