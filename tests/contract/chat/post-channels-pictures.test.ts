import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sandboxAccounts } from "../../../sandbox/accounts.ts";
import { sendPicture } from "../../harness/send-picture.ts";
import { type ChatWorld, type Person, startChatWorld } from "../../harness/start-chat-world.ts";
import { startImageHost } from "../../harness/start-image-host.ts";
import { pngOf } from "../../harness/start-picture-server.ts";

const shop = sandboxAccounts.find(({ name }) => name === "shop")?.keys.posting;
const MiB = 1024 * 1024;

describe("POST /channels/{channel_id}/pictures", () => {
  let host: Awaited<ReturnType<typeof startImageHost>>;
  let world: ChatWorld;
  let alice: Person;

  beforeAll(async () => {
    host = await startImageHost({ keys: { shop: shop?.publicKey ?? "" } });
    world = await startChatWorld({
      settings: {
        IMAGE_UPLOAD_URL: host.url,
        IMAGE_UPLOAD_ACCOUNT: "shop",
        IMAGE_UPLOAD_KEY: shop?.privateKey ?? "",
        OUTSIDE_PRIVATE_HOSTS: host.host,
      },
    });
    alice = await world.login("alice");
  });
  afterAll(async () => {
    await world.close();
    await host.close();
  });
  beforeEach(() => host.answerInstead(null));

  const send = (
    channelId: string,
    body: Uint8Array | string,
    {
      who = alice,
      of = world,
      ...options
    }: { who?: Person; of?: ChatWorld; name?: string; type?: string } = {},
  ) => sendPicture(of, who, "pictures", { channelId, body, ...options });

  it("uploads a signed picture to the host, and returns the host's address for it", async () => {
    const room = await world.makeChannel([alice]);
    world.proxy.forget();
    const { status, body } = await send(room, pngOf("valley"), { name: "my valley.html" });
    expect(status).toBe(200);
    expect(world.proxy.calls()).toEqual([`GET /channels/${room}`]);
    const kept = host.pictures().at(-1);
    expect(kept).toMatchObject({ name: "my valley.html.png", type: "image/png" });
    expect(kept?.bytes.equals(pngOf("valley"))).toBe(true);
    expect(body.url).toMatch(new RegExp(`^${host.url}/D[0-9a-f]{64}/my%20valley\\.html\\.png$`));
    const shown = await fetch(`${world.gateway.url}/api/chat/pictures?url=${encodeURIComponent(body.url)}`, {
      headers: { authorization: `Bearer ${alice.pat}` },
    });
    expect(shown.headers.get("content-type")).toBe("image/png");
    expect((await alice.api("GET", "/me")).body.hostsPictures).toBe(true);
  });

  it("uploads up to four pictures at once, and the others afterwards", async () => {
    const room = await world.makeChannel([alice]);
    const names = Array.from({ length: 12 }, (_, index) => `picture ${index}`);
    const answers = await Promise.all(names.map((name) => send(room, pngOf(name))));
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
    expect(host.mostAtOnce()).toBeLessThanOrEqual(4);
  });

  it("accepts a member's picture while four pictures of another member trickle in", async () => {
    const bob = await world.login("bob");
    const room = await world.makeChannel([alice, bob]);
    const leaving = new AbortController();
    const whole = pngOf("slow");
    let begun = 0;
    const trickling = Array.from({ length: 4 }, () =>
      fetch(`${world.gateway.url}/api/chat/channels/${room}/pictures?name=slow.png`, {
        method: "POST",
        headers: { authorization: `Bearer ${bob.pat}`, "content-type": "image/png" },
        body: new ReadableStream({
          start: (body) => body.enqueue(whole.subarray(0, 40)),
          pull: () => {
            begun += 1;
            return new Promise(() => undefined);
          },
        }),
        signal: leaving.signal,
        duplex: "half",
      } as RequestInit),
    );
    const ends = Promise.allSettled(trickling);
    await expect.poll(() => begun).toBe(4);
    expect((await send(room, pngOf("quick"))).status).toBe(200);
    leaving.abort();
    expect((await ends).map(({ status }) => status)).toEqual(Array(4).fill("rejected"));
  });

  it("uploads no picture from private channels and direct conversations", async () => {
    const bob = await world.login("bob");
    const closed = await world.makeChannel([alice], { type: "P" });
    const { channelId } = (await alice.api("POST", "/direct", { username: "bob" })).body;
    const before = host.pictures().length;
    for (const id of [closed, channelId])
      expect([(await send(id, pngOf("secret"))).body.code]).toEqual(["forbidden"]);
    expect((await send(closed, pngOf("secret"), { who: bob })).status).toBe(403);
    expect((await send("z".repeat(26), pngOf("secret"))).status).toBe(404);
    expect(host.pictures()).toHaveLength(before);
  });

  it("uploads only pictures of up to 10 MiB", async () => {
    const room = await world.makeChannel([alice]);
    const before = host.pictures().length;
    const svg = "<svg xmlns='http://www.w3.org/2000/svg'/>";
    for (const [body, type] of [
      [svg, "image/png"],
      [svg, "image/svg+xml"],
      ["", "image/png"],
    ] as const)
      expect((await send(room, body, { type })).body.code).toBe("unsupported_media_type");
    const large = Buffer.concat([pngOf("large"), Buffer.alloc(10 * MiB)]);
    expect((await send(room, large)).body.code).toBe("payload_too_large");
    expect(host.pictures()).toHaveLength(before);
    expect((await send(room, large.subarray(0, 10 * MiB))).status).toBe(200);
  });

  it("returns 413 for the host's 413, and 503 for other refusals and malformed replies without leaking them", async () => {
    const room = await world.makeChannel([alice]);
    for (const answer of [
      () => Response.json({ error: { name: "quota_exceeded" } }, { status: 429 }),
      () => new Response("<html>welcome", { status: 200 }),
      () => Response.json({ url: "javascript:alert(1)" }),
      () => Response.json({ url: `https://host.example/${"x".repeat(3000)}` }),
      () => new Response("x".repeat(100_000)),
      () => new Response(null, { status: 302, headers: { location: world.proxy.url } }),
    ]) {
      host.answerInstead(answer);
      const { status, body } = await send(room, pngOf("refused"));
      expect([status, body.code]).toEqual([503, "image_host_unavailable"]);
      expect(JSON.stringify(body)).not.toMatch(/quota|welcome|javascript/);
    }
    host.answerInstead(() => new Response(null, { status: 413 }));
    expect((await send(room, pngOf("large"))).body.code).toBe("payload_too_large");
  });

  it("accepts a host address that contains a token, and returns 404 without a host", async () => {
    const tokened = await startChatWorld({ settings: { IMAGE_UPLOAD_URL: `${host.url}/hs/good` } });
    const bob = await tokened.login("bob");
    const room = await tokened.makeChannel([bob]);
    expect((await send(room, pngOf("token"), { who: bob, of: tokened })).status).toBe(200);
    await tokened.close();
    const none = await startChatWorld();
    const carol = await none.login("carol");
    const closed = await none.makeChannel([carol]);
    expect((await send(closed, pngOf("none"), { who: carol, of: none })).body.code).toBe("not_found");
    expect((await carol.api("GET", "/me")).body.hostsPictures).toBeUndefined();
    await none.close();
  });
});
