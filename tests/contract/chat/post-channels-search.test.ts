import { describe, expect, it } from "vitest";
import { openChatWorld } from "../../harness/open-chat-world.ts";
import type { AnyBody } from "../../harness/start-chat-world.ts";
import { unique } from "../../harness/unique.ts";

const { world, alice, bob } = await openChatWorld("alice", "bob");

describe("POST /channels/search", () => {
  const search = async (term: unknown, who = alice): Promise<AnyBody[]> => {
    const { status, body } = await who.api("POST", "/channels/search", { term });
    expect(status).toBe(200);
    return body.channels;
  };

  it("finds public channels by name and marks the caller's", async () => {
    const word = unique("findme");
    const id = await world.makeChannel([alice], { name: `${word}-a`, display_name: `Room ${word}` });
    const found = { id, name: `${word}-a`, display_name: `Room ${word}`, type: "O", header: "", purpose: "" };
    expect(await search(` ${word} `)).toEqual([{ ...found, is_member: true }]);
    expect(await search(word, bob)).toEqual([{ ...found, is_member: false }]);
  });

  it("finds a private channel only for its members", async () => {
    const word = unique("secret");
    const id = await world.makeChannel([alice], { type: "P", name: word });
    expect(await search(word)).toEqual([expect.objectContaining({ id, type: "P", is_member: true })]);
    expect(await search(word, bob)).toEqual([]);
  });

  it("finds no conversations, although their titles contain their members' names", async () => {
    const dave = await world.newcomer();
    await alice.mattermost("POST", "/channels/group", [alice.id, bob.id, dave.id]);
    expect(await search(dave.name)).toEqual([]);
  });

  it("returns an empty list for a term under 2 characters, and 401 for an invalid token", async () => {
    world.proxy.forget();
    expect(await search("a")).toEqual([]);
    expect(await search("   ")).toEqual([]);
    expect(world.proxy.calls()).toHaveLength(2);
    const headers = { authorization: `Bearer ${"x".repeat(26)}` };
    expect((await alice.api("POST", "/channels/search", { term: "a" }, headers)).status).toBe(401);
  });

  it("takes 2 Mattermost calls", async () => {
    const word = unique("counted");
    await world.makeChannel([alice], { name: word });
    world.proxy.forget();
    expect(await search(word)).toHaveLength(1);
    expect(world.proxy.calls()).toHaveLength(2);
  });

  it.each([{}, { term: 1 }, { term: null }, { term: "x".repeat(513) }, { term: "a\0b" }])(
    "returns 400 for %j",
    async (body) => {
      const answer = await alice.api("POST", "/channels/search", body);
      expect(answer.status).toBe(400);
      expect(answer.body.code).toBe("invalid_request");
    },
  );
});
