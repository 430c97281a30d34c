import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ChatWorld, type Person, startChatWorld } from "../../harness/start-chat-world.ts";

describe("GET /users/{user_id}/image", () => {
  let world: ChatWorld;
  let alice: Person;

  beforeAll(async () => {
    world = await startChatWorld();
    alice = await world.login("alice");
  });
  afterAll(async () => {
    await world.close();
  });

  const image = (id = alice.id, headers: Record<string, string> = {}, method = "GET") =>
    fetch(`${world.gateway.url}/api/chat/users/${id}/image`, { method, headers });

  it("serves the picture without a token, cacheable and embeddable anywhere", async () => {
    const response = await image();
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toMatch(/^image\//);
    expect(response.headers.get("cache-control")).toBe("public, max-age=300");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("content-security-policy")).toMatch(/default-src 'none'.*sandbox/);
    expect(response.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(100);
  });

  it("answers HEAD without the picture, and survives a reader that disconnects", async () => {
    const whole = await image();
    const head = await image(alice.id, {}, "HEAD");
    expect(head.status).toBe(200);
    for (const name of ["content-type", "content-length", "etag", "cache-control"])
      expect(head.headers.get(name)).toBe(whole.headers.get(name));
    expect((await head.arrayBuffer()).byteLength).toBe(0);
    const leaving = await image();
    await leaving.body?.cancel();
    await whole.arrayBuffer();
    expect((await image()).status).toBe(200);
  });

  it("returns 304 for a cached copy whose tag is strong, weak or in a list", async () => {
    const etag = (await image()).headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[\w.+-]+"$/);
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const response = await image(alice.id, { "if-none-match": tag });
      expect([tag, response.status]).toEqual([tag, 304]);
      expect(response.headers.get("etag")).toBe(etag);
    }
    expect((await image(alice.id, { "if-none-match": '"other"' })).status).toBe(200);
  });

  it("returns 404 for an unknown user", async () => {
    const response = await image("z".repeat(26));
    expect(response.status).toBe(404);
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  it("returns 404 for a malformed id, without a Mattermost call", async () => {
    world.proxy.forget();
    for (const id of ["me", "A".repeat(26), "..%2f..%2fsystem"]) expect((await image(id)).status).toBe(404);
    expect(world.proxy.calls()).toEqual([]);
  });

  it("takes 1 Mattermost call and passes on only pictures", async () => {
    world.proxy.forget();
    await image();
    expect(world.proxy.calls()).toHaveLength(1);
    world.proxy.treat(() => ({ status: 200, text: '{"token":"secret"}' }));
    const response = await image();
    expect(response.status).toBe(502);
    expect(await response.text()).not.toContain("secret");
    world.proxy.treat(() => "pass");
  });

  it("returns 502, not 401 or 403, when Mattermost refuses the gateway's own token", async () => {
    for (const status of [401, 403]) {
      world.proxy.treat(() => ({ status, text: '{"id":"api.context.session_expired.app_error"}' }));
      expect((await image()).status).toBe(502);
    }
    world.proxy.treat(() => "pass");
  });
});
