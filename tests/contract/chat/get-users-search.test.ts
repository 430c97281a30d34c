import { describe, expect, it } from "vitest";
import { openChatWorld } from "../../harness/open-chat-world.ts";
import type { AnyBody } from "../../harness/start-chat-world.ts";
import { unique } from "../../harness/unique.ts";

const { world, alice, bob } = await openChatWorld("alice", "bob");

describe("GET /users/search", () => {
  const search = async (q: string): Promise<AnyBody[]> => {
    const { status, body } = await alice.api("GET", `/users/search?q=${encodeURIComponent(q)}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body.users;
  };

  it("finds users by username and full name, without private fields", async () => {
    await world.admin("PUT", `/users/${bob.id}/patch`, {
      first_name: "Robert",
      last_name: "Builder",
      props: { note: "hidden" },
    });
    for (const q of ["bob", "@bob", " bo ", "Robert", "Builder", "robert builder"]) {
      const users = await search(q);
      expect(users, q).toContainEqual({
        id: bob.id,
        username: "bob",
        first_name: "Robert",
        last_name: "Builder",
        nickname: expect.any(String),
        last_picture_update: expect.any(Number),
      });
      expect(JSON.stringify(users)).not.toMatch(/hidden|email/);
    }
  });

  it("returns at most 20 users, none for a term under 2 characters, and 401 for an invalid token", async () => {
    expect((await search("al")).length).toBeLessThanOrEqual(20);
    world.proxy.forget();
    expect(await search("b")).toEqual([]);
    expect(await search("")).toEqual([]);
    expect(world.proxy.calls()).toHaveLength(2);
    const headers = { authorization: `Bearer ${"x".repeat(26)}` };
    expect((await alice.api("GET", "/users/search?q=b", undefined, headers)).status).toBe(401);
  });

  it("finds the user with exactly this username first, among more than 20 whose full names begin with it", async () => {
    const person = await world.newcomer();
    for (let index = 0; index < 21; index++) {
      const username = unique("a_");
      const made = { username, email: `${username}@mail.example`, password: "Passw0rd!abcdef" };
      const { id } = await world.admin<{ id: string }>("POST", "/users", {
        ...made,
        first_name: `${person.name} the ${index}th`,
      });
      await world.admin("POST", `/teams/${world.teamId}/members`, { team_id: world.teamId, user_id: id });
    }
    const users = await search(person.name);
    expect(users).toHaveLength(20);
    expect(users[0].id).toBe(person.id);
  });

  it("does not find deactivated users", async () => {
    const goner = await world.newcomer();
    expect(await search(goner.name)).toHaveLength(1);
    await world.admin("PUT", `/users/${goner.id}/active`, { active: false });
    expect(await search(goner.name)).toEqual([]);
  });

  it("hides users with an account's name who have not proven that the account is theirs", async () => {
    const [mallory, person] = [await world.newcomer(), await world.newcomer()];
    const [taken, squatted] = [unique("t"), unique("s")];
    await mallory.mattermost("PUT", "/users/me/patch", { username: taken, nickname: taken });
    const email = `${squatted}@mail.example`;
    const made = { username: squatted, email, password: "Passw0rd!abcdef" };
    const { id } = await world.admin<{ id: string }>("POST", "/users", made);
    await world.admin("POST", `/teams/${world.teamId}/members`, { team_id: world.teamId, user_id: id });
    expect(await search(taken)).toEqual([]);
    expect(await search(squatted)).toEqual([]);
    expect((await search(person.name)).map((user) => user.id)).toEqual([person.id]);
  });

  it("shows users with names that no account can have", async () => {
    const username = unique("plain_");
    const made = { username, email: `${username}@mail.example`, password: "Passw0rd!abcdef" };
    const { id } = await world.admin<{ id: string }>("POST", "/users", made);
    await world.admin("POST", `/teams/${world.teamId}/members`, { team_id: world.teamId, user_id: id });
    expect((await search(username)).map((user) => user.id)).toEqual([id]);
  });

  it("takes 1 Mattermost call", async () => {
    world.proxy.forget();
    await search("alice");
    expect(world.proxy.calls()).toHaveLength(1);
  });

  it("returns 400 for a missing or overlong `q`", async () => {
    expect((await alice.api("GET", "/users/search")).status).toBe(400);
    expect((await alice.api("GET", `/users/search?q=${"x".repeat(513)}`)).status).toBe(400);
  });
});
