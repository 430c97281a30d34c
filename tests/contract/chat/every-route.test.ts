import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patRoutes, withAllRoutes } from "../../harness/chat-routes.ts";
import { checkAnswer } from "../../harness/check-answer.ts";
import { type AnyBody, type ChatWorld, type Person, startChatWorld } from "../../harness/start-chat-world.ts";

const origin = "https://app.example.com";

describe("every authenticated route", () => {
  let world: ChatWorld;
  let alice: Person;

  beforeAll(async () => {
    world = await startChatWorld({ settings: { ...withAllRoutes, ALLOWED_ORIGINS: origin } });
    alice = await world.login("alice");
  });
  afterAll(() => world.close());

  const send = async (
    { method, path, body: sent }: { method: string; path: string; body?: unknown },
    headers: Record<string, string>,
  ) => {
    const response = await fetch(`${world.gateway.url}/api/chat${path}`, {
      method,
      headers: { ...(sent !== undefined && { "content-type": "application/json" }), ...headers },
      ...(sent !== undefined && { body: JSON.stringify(sent) }),
    });
    const text = await response.text();
    const body = (text ? JSON.parse(text) : {}) as AnyBody;
    if (method !== "OPTIONS") checkAnswer(method, response.url, response.status, body);
    return {
      status: response.status,
      headers: response.headers,
      body,
    };
  };

  it.each(patRoutes)(
    "$method $path returns 401 for a missing or malformed token, without a Mattermost call",
    async (route) => {
      world.proxy.forget();
      const carriers: Record<string, string>[] = [
        {},
        { authorization: "Bearer " },
        { authorization: "Bearer nonsense" },
      ];
      for (const headers of carriers) {
        const { status, body, headers: received } = await send(route, headers);
        expect(status).toBe(401);
        expect(body).toEqual({
          error: expect.any(String),
          code: "unauthorized",
          requestId: expect.any(String),
        });
        expect(received.get("www-authenticate")).toMatch(/^Bearer/);
      }
      expect(world.proxy.calls()).toEqual([]);
    },
  );

  it.each(patRoutes)("$method $path returns 401 for a revoked token", async (route) => {
    const { status, body } = await send(route, { authorization: `Bearer ${"x".repeat(26)}` });
    expect([status, body.code]).toEqual([401, "unauthorized"]);
  });

  it.each(patRoutes)("$method $path refuses a token in the query", async (route) => {
    const path = `${route.path}${route.path.includes("?") ? "&" : "?"}token=${alice.pat}`;
    expect((await send({ ...route, path }, {})).status).toBe(401);
  });

  it.each(patRoutes)(
    "$method $path allows any origin without credentials in preflights, and allowed origins with them",
    async ({ path }) => {
      const asked = { "access-control-request-method": "POST" };
      const anyone = await send({ method: "OPTIONS", path }, { origin: "https://anyone.example", ...asked });
      expect(anyone.status).toBe(204);
      expect(anyone.headers.get("access-control-allow-origin")).toBe("*");
      expect(anyone.headers.get("access-control-allow-credentials")).toBeNull();
      const allowed = await send({ method: "OPTIONS", path }, { origin, ...asked });
      expect(allowed.headers.get("access-control-allow-origin")).toBe(origin);
      expect(allowed.headers.get("access-control-allow-credentials")).toBe("true");
    },
  );

  it.each(patRoutes.filter(({ method }) => method !== "GET"))(
    "$method $path returns 403 for a cookie from another site",
    async (route) => {
      world.proxy.forget();
      const cookie = {
        cookie: `chat_pat=${alice.pat}`,
        origin: "https://evil.example",
        "sec-fetch-site": "cross-site",
      };
      const { status, body } = await send(route, cookie);
      expect([status, body.code]).toEqual([403, "forbidden"]);
      expect(world.proxy.calls()).toEqual([]);
    },
  );

  it.each(patRoutes.filter(({ path }) => path.includes("z".repeat(26))))(
    "$method $path returns 404 for a malformed id, without a Mattermost call",
    async (route) => {
      world.proxy.forget();
      for (const id of ["me", "Z".repeat(26), "z".repeat(27)]) {
        const path = route.path.replace("z".repeat(26), id);
        const { status, body } = await send({ ...route, path }, { authorization: `Bearer ${alice.pat}` });
        expect([status, body.code]).toEqual([404, "not_found"]);
      }
      expect(world.proxy.calls()).toEqual([]);
    },
  );

  it.each(patRoutes.filter(({ body }) => body !== undefined))(
    "$method $path accepts only JSON objects of limited size",
    async (route) => {
      world.proxy.forget();
      const address = `${world.gateway.url}/api/chat${route.path}`;
      const isEdit = route.method === "PATCH";
      const tooLong = isEdit ? 820_000 : route.path.endsWith("/posts") ? 205_000 : 66_000;
      const cases: ReadonlyArray<[body: string, type: string, status: number, code: string]> = [
        ["{}", "text/plain", 415, "unsupported_media_type"],
        [`{"x":"${"x".repeat(tooLong)}"}`, "application/json", 413, "payload_too_large"],
        ["{", "application/json", 400, "invalid_json"],
        ["null", "application/json", 400, "invalid_request"],
        ["[]", "application/json", 400, "invalid_request"],
        ["{}", "application/json", 400, "invalid_request"],
      ];
      for (const [body, type, status, code] of cases) {
        const headers = { authorization: `Bearer ${alice.pat}`, "content-type": type };
        const response = await fetch(address, { method: route.method, headers, body });
        expect([response.status, ((await response.json()) as AnyBody).code]).toEqual([status, code]);
      }
      expect(world.proxy.calls()).toEqual([]);
    },
  );

  it.each(patRoutes)("$method $path forbids caching and returns the request's id", async (route) => {
    const asked = { authorization: `Bearer ${alice.pat}`, "x-request-id": "my-request_1" };
    const { headers } = await send(route, asked);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-request-id")).toBe("my-request_1");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  it("returns 404 for editing, deleting or reacting to a post that the caller can't see, cached or not", async () => {
    const bob = await world.login("bob");
    const secret = await world.makeChannel([alice], { type: "P" });
    const met = await alice.post(secret, "met");
    const unmet = await alice.mattermost("POST", "/posts", { channel_id: secret, message: "unmet" });
    for (const { id } of [met, unmet.body]) {
      const path = `/channels/${secret}/posts/${id}`;
      const acts = [
        bob.api("PATCH", path, { message: "mine" }),
        bob.api("DELETE", path),
        bob.api("POST", `${path}/reactions`, { emoji: "smile", add: true }),
        bob.api("POST", `${path}/reactions`, { emoji: "smile", add: false }),
      ];
      for (const { status, body } of await Promise.all(acts))
        expect([status, body.code]).toEqual([404, "not_found"]);
    }
    expect((await alice.api("GET", `/channels/${secret}/posts`)).body.posts.at(-1).message).toBe("unmet");
  });
});
