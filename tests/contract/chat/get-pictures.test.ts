import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ChatWorld, type Person, startChatWorld } from "../../harness/start-chat-world.ts";
import { type PictureServer, pngOf, startPictureServer } from "../../harness/start-picture-server.ts";

describe("GET /pictures", () => {
  let pictures: PictureServer;
  let world: ChatWorld;
  let alice: Person;

  beforeAll(async () => {
    pictures = await startPictureServer();
    world = await startChatWorld({ settings: { OUTSIDE_PRIVATE_HOSTS: pictures.host } });
    alice = await world.login("alice");
  });
  afterAll(async () => {
    await world.close();
    await pictures.close();
  });

  const show = (url: string, headers: Record<string, string> = {}) =>
    fetch(`${world.gateway.url}/api/chat/pictures?url=${encodeURIComponent(url)}`, {
      headers: { authorization: `Bearer ${alice.pat}`, ...headers },
    });

  it("serves a picture with its detected type, for private caching only and without permission to run scripts", async () => {
    pictures.serveBytes("/a.png", pngOf("a"), { "content-type": "text/html", "set-cookie": "x=1" });
    const response = await show(`${pictures.url}/a.png`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("image/png");
    expect(response.headers.get("cache-control")).toBe("private, max-age=3600");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("content-security-policy")).toMatch(/default-src 'none'.*sandbox/);
    expect(response.headers.get("cross-origin-resource-policy")).toBe("same-origin");
    expect(response.headers.get("set-cookie")).toBeNull();
    expect(Buffer.from(await response.arrayBuffer()).equals(pngOf("a"))).toBe(true);
  });

  it("accepts the cookie that a page's <img> sends", async () => {
    pictures.serveBytes("/cookie.png", pngOf("cookie"));
    const url = encodeURIComponent(`${pictures.url}/cookie.png`);
    const response = await fetch(`${world.gateway.url}/api/chat/pictures?url=${url}`, {
      headers: { cookie: `chat_pat=${alice.pat}`, "sec-fetch-site": "same-origin" },
    });
    expect(response.status).toBe(200);
  });

  it("fetches a picture once for many readers, and returns 304 for a cached copy", async () => {
    pictures.serveBytes("/b.png", pngOf("b"), { "cache-control": "max-age=600" });
    const [first] = await Promise.all([1, 2, 3].map(() => show(`${pictures.url}/b.png`)));
    expect(first?.headers.get("cache-control")).toBe("private, max-age=600");
    const etag = first?.headers.get("etag") ?? "";
    const again = await show(`${pictures.url}/b.png#part`, { "if-none-match": `W/"x", ${etag}` });
    expect([again.status, again.headers.get("etag")]).toEqual([304, etag]);
    expect(pictures.askedFor("/b.png")).toHaveLength(1);
  });

  it("returns the same 404 for pictures it can't show, whatever the reason", async () => {
    pictures.serveBytes("/page.png", "<html><script>alert(1)</script>", { "content-type": "image/png" });
    pictures.serveBytes("/drawing.svg", '<svg xmlns="http://www.w3.org/2000/svg"/>', {
      "content-type": "image/svg+xml",
    });
    pictures.serveBytes("/large.png", Buffer.concat([pngOf("large"), Buffer.alloc(8 * 1024 * 1024)]));
    const huge = Buffer.from(pngOf("huge"));
    huge.writeUInt32BE(65_535, 16);
    huge.writeUInt32BE(65_535, 20);
    pictures.serveBytes("/huge.png", huge);
    pictures.serve("/inner", (_, outgoing) => outgoing.writeHead(302, { location: world.proxy.url }).end());
    const answers = [];
    for (const url of [
      ...["/page.png", "/drawing.svg", "/large.png", "/huge.png", "/inner", "/missing.png"].map(
        (path) => pictures.url + path,
      ),
      `${world.proxy.url}/system/ping`,
      "http://localhost/picture.png",
      "http://169.254.169.254/latest/meta-data/",
      "http://picture.invalid/a.png",
    ]) {
      const response = await show(url);
      const { requestId: _, ...body } = (await response.json()) as Record<string, unknown>;
      answers.push({ status: response.status, cache: response.headers.get("cache-control"), ...body });
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 404, code: "not_found", cache: "no-store" });
  });

  it("does not request a missing picture again soon", async () => {
    await show(`${pictures.url}/gone.png`);
    await show(`${pictures.url}/gone.png`);
    expect(pictures.askedFor("/gone.png")).toHaveLength(1);
  });

  it("returns 400 for an invalid web address", async () => {
    for (const query of ["", "?url=", "?url=ftp%3A%2F%2Fexample.com", "?url=picture.png"]) {
      const { status, body } = await alice.api("GET", `/pictures${query}`);
      expect([query, status, body.issues?.[0]?.path]).toEqual([query, 400, "url"]);
    }
  });

  it("checks a token with Mattermost once for several requests, and refuses it once it is revoked", async () => {
    const bob = await world.newcomer();
    pictures.serveBytes("/c.png", pngOf("c"));
    const path = `/pictures?url=${encodeURIComponent(`${pictures.url}/c.png`)}`;
    world.proxy.forget();
    for (let turn = 0; turn < 3; turn++) expect((await bob.api("GET", path)).status).toBe(200);
    expect(world.proxy.calls()).toEqual(["GET /users/me"]);
    expect((await bob.api("POST", "/logout")).status).toBe(200);
    expect((await bob.api("GET", path)).status).toBe(401);
  });

  it("shows no picture when the operator forbids outside requests", async () => {
    const closed = await startChatWorld({
      settings: { OUTSIDE_PRIVATE_HOSTS: pictures.host, OUTSIDE_FETCH: "off" },
    });
    const reader = await closed.login("alice");
    const before = pictures.count();
    const { status } = await reader.api(
      "GET",
      `/pictures?url=${encodeURIComponent(`${pictures.url}/a.png`)}`,
    );
    expect([status, pictures.count()]).toEqual([404, before]);
    await closed.close();
  });
});
