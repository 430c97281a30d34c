import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ChatClient, createChatClient } from "../../lib/chat-client/index.ts";
import { type ChatWorld, type Person, startChatWorld } from "../harness/start-chat-world.ts";
import { unique } from "../harness/unique.ts";

describe("the chat client", () => {
  let world: ChatWorld;
  let alice: Person;
  let bob: Person;
  let client: ChatClient;
  /** The addresses that the client requested. */
  const asked: string[] = [];

  beforeAll(async () => {
    world = await startChatWorld();
    alice = await world.login("alice");
    bob = await world.login("bob");
    client = createChatClient({
      baseUrl: world.gateway.url,
      token: alice.pat,
      fetch: (address, init) => {
        asked.push(address);
        return fetch(address, init);
      },
    });
  });
  afterAll(() => world.close());

  it("pages through a channel's history, newest first, with each post once", async () => {
    const channelId = await world.makeChannel([alice]);
    for (let number = 0; number < 7; number++) await alice.post(channelId, `number ${number}`);
    const seen: string[] = [];
    for await (const { message, type } of client.posts.history(channelId, { perPage: 3 }))
      if (type === "") seen.push(message);
    expect(seen).toEqual([6, 5, 4, 3, 2, 1, 0].map((number) => `number ${number}`));
  });

  it("pages through the followed threads, latest reply first, with each thread once", async () => {
    const channelId = await world.makeChannel([alice]);
    const roots: string[] = [];
    for (let number = 0; number < 5; number++) {
      const { id } = await client.posts.create(channelId, { message: `root ${number}` });
      await client.posts.create(channelId, { message: "a reply", rootId: id });
      roots.unshift(id);
    }
    const seen: string[] = [];
    for await (const { id } of client.threads.all({ perPage: 2 })) seen.push(id);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((id) => roots.includes(id))).toEqual(roots);
  });

  it("pages through a channel's members, or those that a search finds, each of them once", async () => {
    const channelId = await world.makeChannel([alice, bob, await world.login("carol")]);
    const namesOf = async (given: Parameters<typeof client.channels.allMembers>[1]) => {
      const names: string[] = [];
      for await (const { user } of client.channels.allMembers(channelId, given)) names.push(user.username);
      return names;
    };
    const all = await namesOf({ perPage: 2 });
    expect(all).toEqual(expect.arrayContaining(["alice", "bob", "carol"]));
    expect(new Set(all).size).toBe(all.length);
    expect(await namesOf({ q: "bo", perPage: 1 })).toEqual(["bob"]);
  });

  it("pages through the public channels that a search finds, each of them once", async () => {
    const word = unique("walk");
    const made: string[] = [];
    for (let number = 0; number < 5; number++)
      made.push(await world.makeChannel([], { display_name: `${word} ${number}` }));
    const seen: string[] = [];
    for await (const { id } of client.channels.browseAll({ q: word, perPage: 2 })) seen.push(id);
    expect(seen).toEqual(made);
  });

  it("pages lazily through the user's mentions, newest first", async () => {
    const channelId = await world.makeChannel([alice, bob]);
    const texts = [];
    for (let number = 0; number < 5; number++) {
      texts.unshift(unique("@alice look "));
      await bob.post(channelId, texts[0] ?? "");
    }
    const seen: string[] = [];
    asked.length = 0;
    for await (const { message } of client.posts.allMentions({ perPage: 2 })) {
      seen.push(message);
      if (seen.length === texts.length) break;
    }
    expect(seen).toEqual(texts);
    expect(asked).toHaveLength(3);
  });
});
