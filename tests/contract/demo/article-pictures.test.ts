import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { picturesIn } from "../../../lib/demo-shop/article-pictures.ts";
import { type ChatWorld, startChatWorld } from "../../harness/start-chat-world.ts";
import { type PictureServer, pngOf, startPictureServer } from "../../harness/start-picture-server.ts";

describe("GET /api/demo/pictures", () => {
  let site: PictureServer;
  let world: ChatWorld;
  beforeAll(async () => {
    site = await startPictureServer();
    site.serveBytes("/valley.png", pngOf("valley"));
    world = await startChatWorld({ settings: { OUTSIDE_PRIVATE_HOSTS: site.host } });
  });
  afterAll(async () => {
    await world.close();
    await site.close();
  });

  const article = () => `Look: ![the valley](${site.url}/valley.png) and [a link](${site.url}/other.png).`;
  const show = (path: string, headers: Record<string, string> = {}) =>
    fetch(world.gateway.url + path, { headers });

  it("serves the pictures in an article without a token, under the issued paths", async () => {
    const paths = picturesIn(world.gateway.services, article());
    expect(Object.keys(paths)).toEqual([`${site.url}/valley.png`]);
    const [path = ""] = Object.values(paths);
    const answer = await show(path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("image/png");
    expect(answer.headers.get("content-security-policy")).toMatch(/default-src 'none'.*sandbox/);
    expect(Buffer.from(await answer.arrayBuffer()).equals(pngOf("valley"))).toBe(true);
    const etag = answer.headers.get("etag") ?? "";
    expect((await show(path, { "if-none-match": etag })).status).toBe(304);
  });

  it("fetches nothing for a made-up path or an issued path with another address", async () => {
    const [path = ""] = Object.values(picturesIn(world.gateway.services, article()));
    const key = new URL(path, world.gateway.url).searchParams.get("key") ?? "";
    const before = site.count();
    const pathOf = (url: string, by: string) => `/api/demo/pictures?${new URLSearchParams({ url, key: by })}`;
    const swapped = (key.startsWith("A") ? "B" : "A") + key.slice(1);
    for (const made of [
      pathOf(`${site.url}/other.png`, key),
      pathOf(`${site.url}/valley.png`, swapped),
      pathOf(`${site.url}/valley.png#x`, key),
    ])
      expect((await show(made)).status).toBe(404);
    expect((await show(pathOf(`${site.url}/valley.png`, "short"))).status).toBe(400);
    expect(site.count()).toBe(before);
  });

  it("issues no path for pictures without a valid web address", () => {
    const text =
      "![a](javascript:x) ![b](ftp://x/y.png) ![c](https://x.example/a b.png) ![d](//x.example/y.png)";
    expect(picturesIn(world.gateway.services, text)).toEqual({});
  });

  it("issues no path when the operator forbids outside requests", async () => {
    const closed = await startChatWorld({ settings: { OUTSIDE_FETCH: "off" } });
    expect(picturesIn(closed.gateway.services, article())).toEqual({});
    await closed.close();
  });
});
