import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { isOutsideMattermost } from "../../harness/contract-mattermost.ts";
import { holdTime } from "../../harness/hold-time.ts";
import { openChatWorld } from "../../harness/open-chat-world.ts";
import { soon } from "../../harness/soon.ts";
import { type AnyBody, type Person, startChatWorld } from "../../harness/start-chat-world.ts";
import { unique } from "../../harness/unique.ts";
import { openWebsocket } from "../../websocket/open-websocket.ts";

const { world, alice, bob } = await openChatWorld("alice", "bob");
const room = await world.makeChannel([alice, bob]);

describe("POST /search/posts", () => {
  const search = async (body: unknown, who: Person = alice): Promise<AnyBody> => {
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

  it("pages through the results", async () => {
    const word = unique("paged");
    for (let n = 0; n < 5; n += 1) await alice.post(room, `${word} ${n}`);
    const pages = [];
    for (const page of [0, 1, 2, 3]) pages.push((await search({ term: word, page, per_page: 2 })).posts);
    expect(pages.map((posts) => posts.length)).toEqual([2, 2, 1, 0]);
    expect(new Set(pages.flat().map(({ id }: AnyBody) => id)).size).toBe(5);
  });

  it("finds direct messages and returns the partner", async () => {
    const word = unique("whisper");
    const id = (await alice.api("POST", "/direct", { username: "bob" })).body.channelId;
    await alice.post(id, word);
    const { posts, users, channels } = await search({ term: word });
    expect(posts).toHaveLength(1);
    expect(channels[id]).toMatchObject({ type: "D" });
    expect(users[bob.id]).toMatchObject({ username: "bob" });
  });

  it("shows a renamed channel's new title once a member's websocket has reported it", async () => {
    const word = unique("renamed");
    const channelId = await world.makeChannel([alice, bob]);
    await alice.post(channelId, word);
    await search({ term: word });
    const { socket } = await openWebsocket(world.gateway.url, `?token=${bob.pat}`);
    const display_name = unique("New title ");
    await world.admin("PUT", `/channels/${channelId}/patch`, { display_name });
    await soon(async () =>
      expect((await search({ term: word })).channels[channelId]).toMatchObject({ display_name }),
    );
    socket.terminate();
  });

  it("shows a channel's new title ten seconds after a rename without a websocket, in 3 Mattermost calls", async () => {
    const word = unique("renamed");
    const channelId = await world.makeChannel([alice, bob]);
    const own = await alice.post(channelId, word);
    await bob.post(channelId, "a reply", own.id);
    const titleIn = async (path: string, body?: unknown) => {
      const answer = await alice.api(body ? "POST" : "GET", path, body);
      return answer.body.channels[channelId].display_name;
    };
    const time = holdTime();
    try {
      await search({ term: word });
      const title = unique("New title ");
      await world.admin("PUT", `/channels/${channelId}/patch`, { display_name: title });
      time.pass(10_000);
      world.proxy.forget();
      expect(await titleIn("/search/posts", { term: word })).toBe(title);
      expect(world.proxy.calls()).toHaveLength(3);
      const threadTitle = unique("Newer title ");
      await world.admin("PUT", `/channels/${channelId}/patch`, { display_name: threadTitle });
      time.pass(10_000);
      expect(await titleIn("/threads")).toBe(threadTitle);
    } finally {
      time.release();
    }
  });

  it("finds nothing outside the caller's channels", async () => {
    const word = unique("classified");
    const secret = await world.makeChannel([alice], { type: "P" });
    await alice.post(secret, word);
    expect((await search({ term: word })).posts).toHaveLength(1);
    expect(await search({ term: word }, bob)).toEqual({ posts: [], users: {}, channels: {} });
  });

  /** Returns all mentions of a person, page by page. */
  const mentionsOf = async (who: Person, perPage = 100) => {
    const ids: string[] = [];
    for (let page = 0; ; page += 1) {
      const { posts } = await search({ mentions: true, page, per_page: perPage }, who);
      ids.push(...posts.map(({ id }: AnyBody) => id));
      if (posts.length < perPage) return ids;
    }
  };
  /** Posts directly to Mattermost, because the gateway has a quota of posts per person. */
  const say = async (who: Person, channel_id: string, message: string) =>
    (await who.mattermost("POST", "/posts", { channel_id, message })).body;
  const countOf = async (who: Person, place: string) => {
    const { channels } = (await who.api("GET", "/channels")).body;
    return channels.find(({ id }: AnyBody) => id === place).mention_count;
  };

  it("finds only other users' mentions of the caller or everyone, in at most 22 Mattermost calls", async () => {
    const [carol, dave] = [await world.newcomer(), await world.login("dave")];
    const me = `@${carol.name}`;
    const place = await world.makeChannel([carol, dave]);
    await carol.api("POST", `/channels/${place}/view`, {});
    const say = async (text: string, who = dave) => (await who.post(place, text)).id;
    const named = await say(`for ${me}, and nobody else`);
    const all = await say("you @all");
    const channel = await say("dear @channel");
    await say(`\`${me}\` as code, ${carol.name} as a word, all of you here in this channel`);
    await say(`${me}x is another`);
    await carol.api("GET", "/channels");
    world.proxy.forget();
    const { posts, users, channels } = await search({ mentions: true }, carol);
    expect(world.proxy.calls().length).toBeLessThanOrEqual(22);
    const meant = [named, all, channel];
    expect(posts.map(({ id }: AnyBody) => id)).toEqual(meant.toReversed());
    expect([Object.keys(users), Object.keys(channels)]).toEqual([[dave.id], [place]]);
    expect(await countOf(carol, place)).toBe(meant.length);
    const second = await search({ mentions: true, page: 1, per_page: meant.length - 1 }, carol);
    expect(second.posts.map(({ id }: AnyBody) => id)).toEqual(meant.slice(0, 1));
  });

  it("finds mentions next to punctuation, as Mattermost counts them", async () => {
    const [frank, dave] = [await world.newcomer(), await world.login("dave")];
    const place = await world.makeChannel([frank, dave]);
    await frank.api("POST", `/channels/${place}/view`, {});
    const me = `@${frank.name}`;
    const meant = [
      `cc/${me}`,
      `_${me}_`,
      `.${me}`,
      `-${me}`,
      `${me}-`,
      `${me}: yes`,
      `(${me})`,
      "_@channel_",
    ];
    const other = [`@${me}`, `x${me}`, `${me}x`];
    const ids: string[] = [];
    for (const text of meant) ids.push((await say(dave, place, text)).id);
    for (const text of other) await say(dave, place, text);
    expect(await countOf(frank, place)).toBe(meant.length);
    expect(await mentionsOf(frank)).toEqual(ids.toReversed());
  });

  it("finds mentions in programs' message attachments, as Mattermost counts them", async () => {
    const [frank, dave] = [await world.newcomer(), await world.login("dave")];
    const place = await world.makeChannel([frank, dave]);
    await frank.api("POST", `/channels/${place}/view`, {});
    const attach = async (card: Record<string, unknown>, message = "") => {
      const props = { attachments: [{ fallback: "A card", ...card }] };
      return (await dave.mattermost("POST", "/posts", { channel_id: place, message, props })).body.id;
    };
    const me = `@${frank.name}`;
    const meant = [
      await attach({ text: `The build of ${me} failed` }),
      await attach({ pretext: `For ${me}` }, "A report"),
      await attach({ text: "Calls @channel" }),
    ];
    await attach({ title: me, footer: me, author_name: me });
    await attach({ text: `\`${me}\` in code` });
    expect(await countOf(frank, place)).toBe(meant.length);
    expect(await mentionsOf(frank)).toEqual(meant.toReversed());
  });

  it("finds group mentions among recent messages even once they are read", async () => {
    const [henry, dave] = [await world.newcomer(), await world.login("dave")];
    const place = await world.makeChannel([henry, dave]);
    const meant = [(await dave.post(place, "you @all")).id, (await dave.post(place, "who is @here?")).id];
    await henry.api("POST", `/channels/${place}/view`, {});
    expect(await countOf(henry, place)).toBe(0);
    expect(await mentionsOf(henry)).toEqual(meant.toReversed());
  });

  it("finds every counted mention among hundreds of messages with the same words", async () => {
    const [erin, dave] = [await world.newcomer(), await world.login("dave")];
    const place = await world.makeChannel([erin, dave]);
    await erin.api("POST", `/channels/${place}/view`, {});
    const own = await erin.post(place, "A question");
    const calls = [`@${erin.name} first`, "@all second", "dear @channel third"];
    const meant: string[] = [];
    for (const text of calls) meant.push((await dave.post(place, text)).id);
    for (let n = 0; n < 210; n += 1) await say(dave, place, `${erin.name}, all channels are here ${n}`);
    expect(await countOf(erin, place)).toBe(calls.length);
    meant.push((await dave.post(place, `@${erin.name} answered`, own.id)).id);
    const { threads } = (await erin.api("GET", "/threads")).body;
    expect(threads.find(({ id }: AnyBody) => id === own.id).unread_mentions).toBe(1);
    expect(await mentionsOf(erin)).toEqual(meant.toReversed());
    expect(await mentionsOf(erin, 2)).toEqual(meant.toReversed());
  });

  it("finds mentions beyond the first hundred", async () => {
    const [frank, dave] = [await world.newcomer(), await world.login("dave")];
    const place = await world.makeChannel([frank, dave]);
    await frank.api("POST", `/channels/${place}/view`, {});
    const meant: string[] = [];
    for (let n = 0; n < 230; n += 1) meant.push((await say(dave, place, `@${frank.name} number ${n}`)).id);
    expect(await countOf(frank, place)).toBe(meant.length);
    expect(await mentionsOf(frank)).toEqual(meant.toReversed());
  });

  it("omits group mentions in a channel where the caller ignores them", async () => {
    const [grace, dave] = [await world.newcomer(), await world.login("dave")];
    const place = await world.makeChannel([grace, dave]);
    await grace.api("POST", `/channels/${place}/view`, {});
    await grace.mattermost("PUT", `/channels/${place}/members/${grace.id}/notify_props`, {
      ignore_channel_mentions: "on",
    });
    await dave.post(place, "dear @channel");
    const { id } = await dave.post(place, `dear @${grace.name}`);
    expect(await countOf(grace, place)).toBe(1);
    expect(await mentionsOf(grace)).toEqual([id]);
  });

  describe("mentions when a thread or membership disappears between two reads", () => {
    afterEach(() => world.proxy.treat(() => "pass"));

    it("lists the other mentions when a thread is deleted before it is read", async () => {
      const [ida, dave] = [await world.newcomer(), await world.login("dave")];
      const place = await world.makeChannel([ida, dave]);
      const [gone, stays] = [await ida.post(place, "goes"), await ida.post(place, "stays")];
      await dave.post(place, `@${ida.name} here`, gone.id);
      const { id } = await dave.post(place, `@${ida.name} there`, stays.id);
      const deletion = () => world.admin("DELETE", `/posts/${gone.id}`);
      world.proxy.treat(({ path }) => (path === `/posts/${gone.id}/thread` ? { until: deletion() } : "pass"));
      expect(await mentionsOf(ida)).toContain(id);
    });

    it("lists the other mentions when the caller is removed from a channel before it is read", async () => {
      const [ida, dave] = [await world.newcomer(), await world.login("dave")];
      const gone = await world.makeChannel([ida, dave], { type: "P" });
      const stays = await world.makeChannel([ida, dave]);
      for (const place of [gone, stays]) await ida.api("POST", `/channels/${place}/view`, {});
      await dave.post(gone, `@${ida.name} here`);
      const { id } = await dave.post(stays, `@${ida.name} there`);
      let removal: Promise<unknown> | undefined;
      const remove = () => {
        removal ??= world.admin("DELETE", `/channels/${gone}/members/${ida.id}`);
        return { until: removal };
      };
      // The search waits for the removal too, because it would otherwise still find the message.
      world.proxy.treat(({ path }) => (/\/search$|^\/channels\/\w+\/posts$/.test(path) ? remove() : "pass"));
      expect(await mentionsOf(ida)).toEqual([id]);
    });

    it("returns 502 for a missing thread while Mattermost's database is down", async () => {
      const [ida, dave] = [await world.newcomer(), await world.login("dave")];
      const place = await world.makeChannel([ida, dave]);
      const { id } = await ida.post(place, "a question");
      await dave.post(place, `@${ida.name} an answer`, id);
      const down = { status: "UNHEALTHY", database_status: "UNHEALTHY", filestore_status: "OK" };
      const refusal = { id: "app.post.get.app_error", message: "", status_code: 404 };
      world.proxy.treat(({ path }) => {
        if (path === "/system/ping") return { status: 500, text: JSON.stringify(down) };
        return path === `/posts/${id}/thread` ? { status: 404, text: JSON.stringify(refusal) } : "pass";
      });
      const { status, body } = await ida.api("POST", "/search/posts", { mentions: true });
      expect([status, body.code]).toEqual([502, "backend_unreachable"]);
    });
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
  ])("returns 400 for %j", async (body) => {
    const answer = await alice.api("POST", "/search/posts", body);
    expect([answer.status, answer.body.code]).toEqual([400, "invalid_request"]);
  });

  it("takes 2 Mattermost calls when the channels are cached", async () => {
    const word = unique("counted");
    await alice.post(room, word);
    await alice.api("GET", "/channels");
    world.proxy.forget();
    await search({ term: word });
    expect(world.proxy.calls()).toHaveLength(2);
  });
});

describe.skipIf(isOutsideMattermost())("mentions without collapsed threads", () => {
  let flat: Awaited<ReturnType<typeof startChatWorld>>;
  beforeAll(async () => {
    flat = await startChatWorld({ flavour: "v7" });
  });
  afterAll(() => flat.close());

  it.each(["never", "root", "any"])(
    "list the replies that Mattermost counts for the user's setting (%s), unread and read",
    async (comments) => {
      const [erin, dave] = [await flat.newcomer(), await flat.newcomer()];
      const place = await flat.makeChannel([erin, dave]);
      const { notify_props } = (await erin.mattermost("GET", "/users/me")).body;
      await erin.mattermost("PUT", "/users/me/patch", { notify_props: { ...notify_props, comments } });
      const own = await erin.post(place, "erin begins");
      const other = await dave.post(place, "dave begins");
      await dave.post(place, "before erin answered", other.id);
      await erin.post(place, "erin answers", other.id);
      const toOwn = (await dave.post(place, "to erin", own.id)).id;
      const toBoth = (await dave.post(place, "to both", other.id)).id;
      const named = (await dave.post(place, `to @${erin.name}`, own.id)).id;
      const answers: string[] = { never: [], root: [toOwn], any: [toOwn, toBoth] }[comments] ?? [];
      const wanted = [...answers, named].toReversed();
      const listed = async () => {
        const { body } = await erin.api("POST", "/search/posts", { mentions: true });
        return body.posts.map(({ id }: AnyBody) => id);
      };
      const { channels } = (await erin.api("GET", "/channels")).body;
      expect(channels.find(({ id }: AnyBody) => id === place).mention_count).toBe(wanted.length);
      expect(await listed()).toEqual(wanted);
      await erin.api("POST", `/channels/${place}/view`, {});
      expect(await listed()).toEqual(wanted);
    },
  );

  it("omit replies to a thread that is deleted before it is read", async () => {
    const [erin, dave] = [await flat.newcomer(), await flat.newcomer()];
    const place = await flat.makeChannel([erin, dave]);
    const { notify_props } = (await erin.mattermost("GET", "/users/me")).body;
    await erin.mattermost("PUT", "/users/me/patch", { notify_props: { ...notify_props, comments: "root" } });
    const [gone, stays] = [await erin.post(place, "goes"), await erin.post(place, "stays")];
    await dave.post(place, "an answer here", gone.id);
    const { id } = await dave.post(place, "an answer there", stays.id);
    const deletion = () => flat.admin("DELETE", `/posts/${gone.id}`);
    flat.proxy.treat(({ path }) => (path === `/posts/${gone.id}/thread` ? { until: deletion() } : "pass"));
    const { status, body } = await erin.api("POST", "/search/posts", { mentions: true });
    expect([status, body.posts?.map((post: AnyBody) => post.id)]).toEqual([200, [id]]);
  });
});
