import { describe, expect, it } from "vitest";
import { openChatWorld } from "../../harness/open-chat-world.ts";
import type { AnyBody, Person } from "../../harness/start-chat-world.ts";
import { unique } from "../../harness/unique.ts";

const { world, alice, bob } = await openChatWorld("alice", "bob");

describe("POST /direct", () => {
  const open = (username: unknown, who = alice) => who.api("POST", "/direct", { username });

  const conversationsOf = async (who: Person): Promise<string[]> => {
    const { channels } = (await who.api("GET", "/channels")).body;
    return channels.filter(({ type }: AnyBody) => type === "D").map(({ id }: AnyBody) => id);
  };

  it("always opens the same direct channel for both users", async () => {
    const { status, body } = await open("bob");
    expect(status).toBe(200);
    expect(body).toEqual({ channelId: expect.stringMatching(/^[a-z0-9]{26}$/) });
    expect((await open(" @bob ")).body).toEqual(body);
    expect((await open("alice", bob)).body).toEqual(body);
  });

  it("creates a chat user for an account new to the chat, which finds the message when it signs in later", async () => {
    const name = unique("n");
    await world.chain.setAccount({ name });
    const { status, body } = await open(name);
    expect(status).toBe(200);
    await alice.post(body.channelId, "welcome");
    const invited = await world.login(name);
    const { channels } = (await invited.api("GET", "/channels")).body;
    expect(channels.find(({ id }: AnyBody) => id === body.channelId)).toMatchObject({
      message_count: 1,
      directUser: { username: "alice" },
    });
  });

  it("opens a new account's channels for two simultaneous callers", async () => {
    const name = unique("n");
    await world.chain.setAccount({ name });
    const answers = await Promise.all([open(name), open(name, bob)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  it("shows the channel to a partner whose first bootstrap ran simultaneously", async () => {
    const name = unique("n");
    await world.chain.setAccount({ name });
    const [{ status, body }, invited] = await Promise.all([open(name), world.login(name)]);
    expect(status).toBe(200);
    expect(await conversationsOf(invited)).toContain(body.channelId);
  });

  it.each(["nosuchaccount99", "No", "a", "bob/../alice", "", "@", "b@b", "x".repeat(64)])(
    "returns 404 for %j, which names no account",
    async (name) => {
      const { status, body } = await open(name);
      expect([status, body.code]).toEqual([404, "not_found"]);
    },
  );

  it("returns 404 for a chat user without a chain account", async () => {
    const username = unique("n");
    await world.admin("POST", "/users", {
      username,
      email: `${username}@x.example`,
      password: "Passw0rd!abcdef",
    });
    expect((await open(username)).status).toBe(404);
  });

  it("returns 403 for a deactivated user, without reactivating them", async () => {
    const goner = await world.newcomer();
    await world.admin("PUT", `/users/${goner.id}/active`, { active: false });
    expect((await open(goner.name)).status).toBe(403);
    expect((await world.admin<AnyBody>("GET", `/users/${goner.id}`)).delete_at).toBeGreaterThan(0);
  });

  it("opens the channel with a reactivated user at once", async () => {
    const back = await world.newcomer();
    await world.admin("PUT", `/users/${back.id}/active`, { active: false });
    expect((await open(back.name)).status).toBe(403);
    await world.admin("PUT", `/users/${back.id}/active`, { active: true });
    expect((await open(back.name)).status).toBe(200);
  });

  /** Creates a chat user with this name, without the gateway. */
  const squat = async (username: string) => {
    await world.chain.setAccount({ name: username });
    const email = `${username}@mail.example`;
    return world.admin<{ id: string }>("POST", "/users", { username, email, password: "Passw0rd!abcdef" });
  };

  it("returns 409 for an account whose name belongs to another user, and opens no channel", async () => {
    const name = unique("n");
    await squat(name);
    const before = await conversationsOf(alice);
    for (let turn = 0; turn < 2; turn++) {
      const { status, body } = await open(name);
      expect([status, body.code]).toEqual([409, "name_taken"]);
    }
    expect(await conversationsOf(alice)).toEqual(before);
  });

  it("returns 409 even after the renamed squatter wrote and appeared in searches", async () => {
    const [mallory, name] = [await world.newcomer(), unique("n")];
    await world.chain.setAccount({ name });
    await mallory.mattermost("PUT", "/users/me/patch", { username: name });
    const room = await world.makeChannel([alice, mallory]);
    await mallory.post(room, "I am the shop");
    await alice.api("GET", `/channels/${room}/posts`);
    await alice.api("GET", `/users/search?q=${name}`);
    const { status, body } = await open(name);
    expect([status, body.code]).toEqual([409, "name_taken"]);
  });

  it("reaches the account's user despite a rename and a squatter on its name", async () => {
    const person = await world.newcomer();
    const { body: before } = await open(person.name);
    await person.mattermost("PUT", "/users/me/patch", { username: unique("renamed") });
    await squat(person.name);
    expect((await open(person.name)).body).toEqual(before);
    expect((await open(person.name, bob)).status).toBe(200);
    expect(await conversationsOf(person)).toHaveLength(2);
  });

  it.each(["all", "channel", "here", "system"])(
    "returns 403 name_reserved for %s, without a Mattermost call",
    async (name) => {
      await world.chain.setAccount({ name });
      world.proxy.forget();
      const { status, body } = await open(name);
      expect([status, body.code, world.proxy.calls()]).toEqual([403, "name_reserved", []]);
    },
  );

  it("opens the caller's channel with themselves, for notes", async () => {
    expect((await open("alice")).status).toBe(200);
  });

  it("opens channels with existing users while the chain is down, and returns 503 for new accounts", async () => {
    const name = unique("n");
    await world.chain.setFault({ kind: "cut" });
    try {
      expect((await open("bob")).status).toBe(200);
      const { status, body } = await open(name);
      expect([status, body.code]).toEqual([503, "chain_unavailable"]);
    } finally {
      await world.chain.clearFaults();
    }
  });

  it.each([undefined, 1, null, "x".repeat(65)])("returns 400 for username %j", async (username) => {
    expect((await open(username)).status).toBe(400);
  });

  it("takes 2 Mattermost calls for a user that the caller has just seen in a search or a channel", async () => {
    const [found, seen] = [await world.newcomer(), await world.newcomer()];
    const room = await world.makeChannel([alice, seen]);
    await seen.post(room, "hello");
    await alice.api("GET", `/users/search?q=${found.name}`);
    await alice.api("GET", `/channels/${room}/posts`);
    for (const { name } of [found, seen]) {
      world.proxy.forget();
      expect((await open(name)).status).toBe(200);
      expect(world.proxy.calls()).toHaveLength(2);
    }
  });

  it("takes 3 Mattermost calls for a name not seen before", async () => {
    const { name } = await world.newcomer();
    world.proxy.forget();
    await open(name);
    expect(world.proxy.calls()).toHaveLength(3);
  });

  it("takes 2 Mattermost calls for a previous partner", async () => {
    await open("bob");
    world.proxy.forget();
    await open("bob");
    expect(world.proxy.calls()).toHaveLength(2);
  });
});
