import { describe, expect, it } from "vitest";
import { openChatWorld } from "../../harness/open-chat-world.ts";
import { type AnyBody, unique } from "../../harness/start-chat-world.ts";

const { world, alice, bob } = await openChatWorld("alice", "bob");
const room = await world.makeChannel([alice, bob]);

describe("POST /search/posts", () => {
  const search = async (body: unknown, who = alice): Promise<AnyBody> => {
    const answer = await who.api("POST", "/search/posts", body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body;
  };

  it("finds messages, newest first, with their authors and channels", async () => {
    const word = unique("needle");
    for (const text of ["one", "two", "three"]) await bob.post(room, `${word} ${text}`);
    const { posts, users, channels } = await search({ term: word });
    expect(posts.map((post: AnyBody) => post.message)).toEqual([
      `${word} three`,
      `${word} two`,
      `${word} one`,
    ]);
    expect(users[bob.id]).toMatchObject({ username: "bob" });
    expect(users[bob.id]).not.toHaveProperty("email");
    expect(channels[room]).toMatchObject({ id: room, type: "O" });
  });

  it("pages", async () => {
    const word = unique("paged");
    for (let n = 0; n < 5; n += 1) await alice.post(room, `${word} ${n}`);
    const pages = [];
    for (const page of [0, 1, 2, 3]) pages.push((await search({ term: word, page, per_page: 2 })).posts);
    expect(pages.map((posts) => posts.length)).toEqual([2, 2, 1, 0]);
    expect(new Set(pages.flat().map(({ id }: AnyBody) => id)).size).toBe(5);
  });

  it("finds direct messages and names the partner", async () => {
    const word = unique("whisper");
    const id = (await alice.api("POST", "/direct", { username: "bob" })).body.channelId;
    await alice.post(id, word);
    const { posts, users, channels } = await search({ term: word });
    expect(posts).toHaveLength(1);
    expect(channels[id]).toMatchObject({ type: "D" });
    expect(users[bob.id]).toMatchObject({ username: "bob" });
  });

  it("finds nothing in channels that the caller is not in", async () => {
    const word = unique("classified");
    const secret = await world.makeChannel([alice], { type: "P" });
    await alice.post(secret, word);
    expect((await search({ term: word })).posts).toHaveLength(1);
    expect(await search({ term: word }, bob)).toEqual({ posts: [], users: {}, channels: {} });
  });

  it("finds what others wrote that names the caller, alone or with everybody, and no more, in 5 Mattermost calls", async () => {
    const [carol, dave] = [await world.login("carol"), await world.login("dave")];
    const place = await world.makeChannel([carol, dave]);
    const say = async (text: string, who = dave) => (await who.post(place, text)).id;
    const named = await say(`for @carol, and nobody else`);
    const all = await say("you @all");
    const channel = await say("dear @channel");
    const here = await say("who is @here");
    await say(`\`@carol\` as code, carol as a word, all of you here in this channel`);
    await say(`@carolx is another`);
    await say("I call @all myself", carol);
    await carol.api("GET", "/channels");
    world.proxy.forget();
    const { posts, users, channels } = await search({ mentions: true }, carol);
    expect(world.proxy.calls()).toHaveLength(5);
    const meant = world.answers.findsCommonWords ? [named, all, channel, here] : [named, channel];
    expect(posts.map(({ id }: AnyBody) => id)).toEqual(meant.toReversed());
    expect([Object.keys(users), Object.keys(channels)]).toEqual([[dave.id], [place]]);
    const second = await search({ mentions: true, page: 1, per_page: meant.length - 1 }, carol);
    expect(second.posts.map(({ id }: AnyBody) => id)).toEqual(meant.slice(0, 1));
  });

  it.each([
    {},
    { mentions: false },
    { mentions: true, term: "x" },
    { term: "" },
    { term: "  " },
    { term: 1 },
    { term: "x", per_page: 0 },
    { term: "x", per_page: 101 },
    { term: "x", page: -1 },
    { term: "x", page: 1.5 },
    { term: "x", page: "1" },
    { term: "x", page: null },
    { term: "x", per_page: [5] },
    { term: "x", per_page: true },
  ])("answers 400 to %j", async (body) => {
    const answer = await alice.api("POST", "/search/posts", body);
    expect([answer.status, answer.body.code]).toEqual([400, "invalid_request"]);
  });

  it("takes 2 Mattermost calls where the channels are known", async () => {
    const word = unique("counted");
    await alice.post(room, word);
    await alice.api("GET", "/channels");
    world.proxy.forget();
    await search({ term: word });
    expect(world.proxy.calls()).toHaveLength(2);
  });
});
