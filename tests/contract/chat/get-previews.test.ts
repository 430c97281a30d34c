import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ChatWorld, type Person, startChatWorld } from "../../harness/start-chat-world.ts";
import { type PictureServer, startPictureServer } from "../../harness/start-picture-server.ts";

const html = { "content-type": "text/html; charset=utf-8" };

describe("GET /previews", () => {
  let site: PictureServer;
  let world: ChatWorld;
  let alice: Person;

  beforeAll(async () => {
    site = await startPictureServer();
    world = await startChatWorld({ chainNodes: 2, settings: { OUTSIDE_PRIVATE_HOSTS: site.host } });
    alice = await world.login("alice");
  });
  afterAll(async () => {
    await world.close();
    await site.close();
  });
  beforeEach(async () => {
    for (const node of [0, 1]) await world.chain.clearFaults(node);
  });

  const look = (url: string, person = alice) => person.api("GET", `/previews?url=${encodeURIComponent(url)}`);

  describe("of a post on the chain", () => {
    it("returns title, author and earnings so far", async () => {
      const { status, body } = await look("https://peakd.com/hive-100001/@alice/light-in-the-valley");
      expect(status).toBe(200);
      expect(body).toEqual({
        kind: "hive_post",
        site: "peakd.com",
        title: "Light in the valley: a morning in twelve pictures",
        description: null,
        author: "alice",
        payout: { amount: "12.345 HBD", isPaid: false },
        picture: null,
      });
    });

    it("returns the payout of author and curators together", async () => {
      const { body } = await look("https://ecency.com/@bob/a-paywall-in-eight-lines");
      expect(body.payout).toEqual({ amount: "42.420 HBD", isPaid: true });
    });

    it("shows a comment under its root's title with the comment's author", async () => {
      const root = { author: "alice", permlink: "light-in-the-valley" };
      await world.chain.setPost({
        ...{ author: "carol", permlink: "re-alice-light", title: "Light in the valley", parent: root },
        payoutMils: 7,
      });
      const { body } = await look("https://hive.blog/x/@alice/light-in-the-valley#@carol/re-alice-light");
      expect(body).toMatchObject({
        author: "carol",
        title: "RE: Light in the valley",
        payout: { amount: "0.007 HBD" },
      });
    });

    it("omits a declined payout, and the picture of a post marked unsafe", async () => {
      const post = { author: "bob", pictures: [`${site.url}/a.png`], title: "x" };
      await world.chain.setPost({ ...post, permlink: "declined", mostMils: 0, payoutMils: 500 });
      await world.chain.setPost({ ...post, permlink: "unsafe", tags: ["nsfw"] });
      expect((await look("https://hive.blog/@bob/declined")).body).toMatchObject({
        payout: null,
        picture: `${site.url}/a.png`,
      });
      expect((await look("https://hive.blog/@bob/unsafe")).body.picture).toBeNull();
    });

    it("shows a title on one line, without characters that reverse or hide others", async () => {
      const title = `a\u202eb\u200bc\n\nd\u0085 ${"x".repeat(300)}`;
      await world.chain.setPost({ author: "bob", permlink: "hostile", title });
      const { body } = await look("https://hive.blog/@bob/hostile");
      expect(body.title).toMatch(/^abc d x+…$/);
      expect(body.title).toHaveLength(200);
    });

    it("asks another node when the first does not answer", async () => {
      await world.chain.setPost({ author: "bob", permlink: "failover", title: "still there" });
      await world.chain.setFault({ kind: "cut", method: "bridge.get_post" }, 0);
      expect((await look("https://hive.blog/@bob/failover")).body.title).toBe("still there");
    });

    it("asks the chain once for many readers", async () => {
      await world.chain.setPost({ author: "bob", permlink: "popular", title: "asked once" });
      const url = "https://hive.blog/@bob/popular";
      const answers = await Promise.all([look(url), look(url), look(url)]);
      expect(answers.map(({ body }) => body.title)).toEqual(Array(3).fill("asked once"));
      await world.chain.setPost({ author: "bob", permlink: "popular", title: "changed since" });
      expect((await look(url)).body.title).toBe("asked once");
    });

    it("returns 404 for hidden posts, unknown posts and a node's answer about another post", async () => {
      await world.chain.setPost({ author: "bob", permlink: "muted", title: "no", isGray: true });
      await world.chain.setPost({ author: "bob", permlink: "hidden", title: "no", isHidden: true });
      const other = await world.chain.call("bridge.get_post", {
        author: "bob",
        permlink: "a-paywall-in-eight-lines",
      });
      for (const node of [0, 1])
        await world.chain.setFault({ kind: "lie", method: "bridge.get_post", result: other, times: 1 }, node);
      const urls = ["other", "muted", "hidden", "never-written"].map(
        (name) => `https://hive.blog/@bob/${name}`,
      );
      for (const url of urls) {
        const { status, body } = await look(url);
        expect([url, status, body.code]).toEqual([url, 404, "not_found"]);
      }
    });
  });

  describe("of a page", () => {
    it("returns the page's head, under its final address", async () => {
      site.serveBytes(
        "/page",
        `<title>own</title><meta property="og:title" content="A page &amp; more">
         <meta property="og:site_name" content="Some Bank"><meta name="description" content="What it is about.">
         <meta property="og:image" content="/cover.png">`,
        html,
      );
      site.serve("/moved", (_, outgoing) => outgoing.writeHead(302, { location: "/page" }).end());
      const { status, body } = await look(`${site.url}/moved`);
      expect(status).toBe(200);
      expect(body).toEqual({
        kind: "page",
        site: site.host,
        title: "A page & more",
        description: "What it is about.",
        author: null,
        payout: null,
        picture: `${site.url}/cover.png`,
      });
      const [asked] = site.askedFor("/page");
      expect(asked?.headers.cookie).toBeUndefined();
      expect(asked?.headers.authorization).toBeUndefined();
    });

    it("omits pictures that the gateway would not fetch", async () => {
      for (const [path, picture] of [
        ["/inner", "http://169.254.169.254/x.png"],
        ["/script", "javascript:alert(1)"],
        ["/data", "data:image/png;base64,AAAA"],
      ] as const) {
        site.serveBytes(path, `<title>x</title><meta property="og:image" content="${picture}">`, html);
        expect((await look(site.url + path)).body.picture).toBeNull();
      }
    });

    it("reads only the beginning of an endless page, once for many readers", async () => {
      site.serve("/endless", (_, outgoing) => {
        outgoing.writeHead(200, html);
        outgoing.write(`<title>endless</title><style>${" ".repeat(1024 * 1024)}`);
      });
      const answers = await Promise.all([1, 2, 3].map(() => look(`${site.url}/endless`)));
      expect(answers.map(({ body }) => body.title)).toEqual(Array(3).fill("endless"));
      await look(`${site.url}/endless`);
      expect(site.askedFor("/endless")).toHaveLength(1);
    });

    it("returns the same 404 for addresses without a preview, and does not request a missing page again soon", async () => {
      site.serveBytes("/untitled", "<p>hello", html);
      site.serveBytes("/text", "<title>x</title>", { "content-type": "text/plain" });
      site.serve("/inwards", (_, outgoing) => outgoing.writeHead(302, { location: world.proxy.url }).end());
      const answers = [];
      for (const url of [
        ...["/untitled", "/text", "/inwards", "/missing"].map((path) => site.url + path),
        `${world.proxy.url}/system/ping`,
        "http://localhost/",
        "http://169.254.169.254/latest/meta-data/",
        "http://page.invalid/",
        "http://user:secret@example.com/",
      ]) {
        const { status, headers, body } = await look(url);
        const { requestId: _, ...told } = body;
        answers.push({ status, cache: headers.get("cache-control"), ...told });
      }
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
      expect(answers[0]).toMatchObject({ status: 404, code: "not_found", cache: "no-store" });
      await look(`${site.url}/missing`);
      expect(site.askedFor("/missing")).toHaveLength(1);
    });
  });

  it("returns 400 for an invalid web address", async () => {
    for (const query of ["", "?url=", "?url=ftp%3A%2F%2Fexample.com", "?url=peakd.com"]) {
      const { status, body } = await alice.api("GET", `/previews${query}`);
      expect([query, status, body.issues?.[0]?.path]).toEqual([query, 400, "url"]);
    }
  });

  it("checks a token with Mattermost once for several requests, and refuses it once it is revoked", async () => {
    const bob = await world.newcomer();
    const url = "https://peakd.com/@alice/light-in-the-valley";
    world.proxy.forget();
    for (let turn = 0; turn < 3; turn++) expect((await look(url, bob)).status).toBe(200);
    expect(world.proxy.calls()).toEqual(["GET /users/me"]);
    expect((await bob.api("POST", "/logout")).status).toBe(200);
    expect((await look(url, bob)).status).toBe(401);
  });

  it("shows only posts on the chain when the operator forbids outside requests", async () => {
    const closed = await startChatWorld({
      settings: { OUTSIDE_PRIVATE_HOSTS: site.host, OUTSIDE_FETCH: "off" },
    });
    const reader = await closed.login("alice");
    expect((await reader.api("GET", "/me")).body.showsOutside).toBeUndefined();
    expect((await alice.api("GET", "/me")).body.showsOutside).toBe(true);
    await closed.chain.setPost({
      author: "bob",
      permlink: "pictured",
      title: "x",
      pictures: [`${site.url}/a.png`],
    });
    const before = site.count();
    const post = await look("https://peakd.com/@bob/pictured", reader);
    expect([post.status, post.body.picture]).toEqual([200, null]);
    expect((await look(`${site.url}/page`, reader)).status).toBe(404);
    expect(site.count()).toBe(before);
    await closed.close();
  });
});
