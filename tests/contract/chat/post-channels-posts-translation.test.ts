import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type AnyBody, type ChatWorld, type Person, startChatWorld } from "../../harness/start-chat-world.ts";
import { startTranslator } from "../../harness/start-translator.ts";

const METRICS_TOKEN = "m".repeat(32);

describe("POST /channels/{channel_id}/posts/{post_id}/translation", () => {
  let world: ChatWorld;
  let translator: Awaited<ReturnType<typeof startTranslator>>;
  let alice: Person;
  let bob: Person;
  let room: string;

  beforeAll(async () => {
    translator = await startTranslator({ key: "a secret of the operator" });
    world = await startChatWorld({
      settings: {
        TRANSLATE_URL: `${translator.url}/`,
        TRANSLATE_KEY: "a secret of the operator",
        METRICS_TOKEN,
      },
    });
    [alice, bob] = [await world.login("alice"), await world.login("bob")];
    room = await world.makeChannel([alice, bob]);
  });
  afterAll(async () => {
    await world.close();
    await translator.close();
  });
  beforeEach(() => {
    translator.asked.length = 0;
  });

  const translate = (who: Person, postId: string, target: unknown = "es", channelId = room) =>
    who.api("POST", `/channels/${channelId}/posts/${postId}/translation`, { target });

  it("calls the translator's LibreTranslate API and returns the source language", async () => {
    const post = await alice.post(room, "Guten Morgen");
    const { status, body } = await translate(bob, post.id);
    expect([status, body]).toEqual([200, { text: "[es] Guten Morgen", source: "de", target: "es" }]);
    expect(translator.asked).toEqual([
      {
        q: "Guten Morgen",
        source: "auto",
        target: "es",
        format: "text",
        api_key: "a secret of the operator",
      },
    ]);
  });

  it("translates a message once per language for all readers, and again after an edit", async () => {
    const post = await alice.post(room, "once is enough");
    const both = await Promise.all([translate(alice, post.id), translate(bob, post.id)]);
    await translate(bob, post.id);
    expect(both.map(({ body }) => body.text)).toEqual(Array(2).fill("[es] once is enough"));
    expect(translator.asked).toHaveLength(1);
    await translate(bob, post.id, "en");
    await alice.api("PATCH", `/channels/${room}/posts/${post.id}`, { message: "now another" });
    expect((await translate(bob, post.id)).body.text).toBe("[es] now another");
    expect(translator.asked).toHaveLength(3);
  });

  it("serves another member while 44 requests of one member wait", async () => {
    const [many, single] = [await alice.post(room, "one of many"), await alice.post(room, "the only one")];
    // Each language requires a different translation, and the translator has none of these.
    const languages = Array.from({ length: 44 }, (_, index) =>
      String.fromCharCode(97 + Math.floor(index / 26), 97 + (index % 26)),
    );
    world.proxy.forget();
    const release = translator.holdAnswers();
    const theirs = languages.map((language) => translate(alice, many.id, language));
    await expect
      .poll(() => world.proxy.calls().filter((call) => call.startsWith("GET /posts/")).length)
      .toBe(languages.length);
    await expect.poll(() => world.proxy.underWay()).toBe(0);
    const answer = translate(bob, single.id, "en");
    await expect.poll(() => translator.asked.map(({ q }) => q)).toContain("the only one");
    release();
    expect((await answer).status).toBe(200);
    await Promise.all(theirs);
  });

  it("drops a disconnected caller's request from the queue", async () => {
    const posts = await Promise.all(
      ["first", "second", "left", "last"].map((text) => alice.post(room, text)),
    );
    const release = translator.holdAnswers();
    const [first, second] = posts.slice(0, 2).map(({ id }) => translate(alice, id));
    await expect.poll(() => translator.asked).toHaveLength(2);
    const leaving = new AbortController();
    world.proxy.forget();
    const left = fetch(`${world.gateway.url}/api/chat/channels/${room}/posts/${posts[2]?.id}/translation`, {
      method: "POST",
      headers: { authorization: `Bearer ${alice.pat}`, "content-type": "application/json" },
      body: JSON.stringify({ target: "es" }),
      signal: leaving.signal,
    });
    await expect.poll(() => world.proxy.calls()).toHaveLength(1);
    await expect.poll(() => world.proxy.underWay()).toBe(0);
    leaving.abort();
    await expect(left).rejects.toThrow("aborted");
    const readMetrics = async () => {
      const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
      return (await fetch(`${world.gateway.url}/api/metrics`, { headers })).text();
    };
    await expect.poll(readMetrics).toMatch(/posts\/\[postId\]\/translation",status="499"\} 1/);
    const last = translate(alice, posts[3]?.id ?? "");
    release();
    expect((await Promise.all([first, second, last])).map((answer) => answer?.status)).toEqual([
      200, 200, 200,
    ]);
    expect(translator.asked.map(({ q }) => q).sort()).toEqual(["first", "last", "second"]);
  });

  it("returns 404 to users who can't read the message, even if its translation is cached", async () => {
    const closed = await world.makeChannel([alice], { type: "P" });
    const post = await alice.post(closed, "not for bob");
    expect((await translate(alice, post.id, "es", closed)).status).toBe(200);
    const { status, body } = await translate(bob, post.id, "es", closed);
    expect([status, body.code]).toEqual([404, "not_found"]);
    expect((await translate(alice, post.id)).status).toBe(404);
    expect(translator.asked).toHaveLength(1);
  });

  it("returns 404 for a deleted message", async () => {
    const post = await alice.post(room, "gone soon");
    await translate(alice, post.id);
    await alice.api("DELETE", `/channels/${room}/posts/${post.id}`);
    expect((await translate(alice, post.id)).status).toBe(404);
  });

  it.each(["", "english", "ES", "e", "../es", 5])("returns 400 for the language %j", async (target) => {
    const post = await alice.post(room, "x");
    expect((await translate(alice, post.id, target)).body.code).toBe("invalid_request");
    expect(translator.asked).toEqual([]);
  });

  it("returns 400 for a language unknown to the translator and for an overlong message", async () => {
    const post = await alice.post(room, "short");
    const unknown = (await translate(alice, post.id, "fr")).body;
    expect([unknown.code, unknown.issues[0].path]).toEqual(["invalid_request", "target"]);
    const long = await alice.post(room, "x".repeat(5_001));
    expect((await translate(alice, long.id)).body.code).toBe("invalid_request");
    expect(translator.asked).toHaveLength(1);
  });

  it.each<[string, () => Response]>([
    ["refuses the key", () => new Response('{"error":"no"}', { status: 403 })],
    ["is out of quota", () => new Response('{"error":"Slowdown"}', { status: 429 })],
    ["fails", () => new Response("oops", { status: 500 })],
    ["talks nonsense", () => new Response("<html>", { status: 200 })],
    ["sends an endless answer", () => new Response("x".repeat(300_000), { status: 200 })],
    ["redirects", () => new Response(null, { status: 302, headers: { location: "http://127.0.0.1:1/" } })],
  ])("returns 503, caches nothing and hides the reason when the translator %s", async (_how, answer) => {
    const post = await alice.post(room, `try again ${Math.random()}`);
    translator.answerNext(answer);
    const { status, body } = await translate(alice, post.id);
    expect([status, body.code]).toEqual([503, "translation_unavailable"]);
    expect(JSON.stringify(body)).not.toMatch(/secret|Slowdown|oops|html/);
    expect((await translate(alice, post.id)).status).toBe(200);
  });

  it("is announced by /me and takes one Mattermost call", async () => {
    expect((await alice.api("GET", "/me")).body.translates).toBe(true);
    const post = await alice.post(room, "count the calls");
    world.proxy.forget();
    await translate(alice, post.id);
    expect(world.proxy.calls()).toHaveLength(1);
  });
});

describe("a gateway without a translator", () => {
  it("does not announce translation, and returns 404 for one", async () => {
    const world = await startChatWorld();
    const alice = await world.login("alice");
    const room = await world.makeChannel([alice]);
    const { id } = await alice.post(room, "hello");
    const me = (await alice.api<AnyBody>("GET", "/me")).body;
    expect(me).not.toHaveProperty("translates");
    const { status } = await alice.api("POST", `/channels/${room}/posts/${id}/translation`, { target: "es" });
    expect(status).toBe(404);
    await world.close();
  });
});
