import { describe, expect, it } from "vitest";
import { z } from "zod";
import { CodedError } from "../../../lib/errors.ts";
import { log } from "../../../lib/log.ts";
import { httpScope, routeWith } from "../../harness/http-scope.ts";

log("silent");
// The requests of all tests come from one token.
const http = httpScope({ rateLimits: false });
const route = routeWith({ http });

const PAT = "p".repeat(26);
const ID = "c".repeat(26);
const address = "https://chat.example.com/api/chat/things";

type Body = { error?: string; code?: string; requestId?: string; issues?: unknown; [key: string]: unknown };

const request = (init: RequestInit & { path?: string } = {}) =>
  new Request(address + (init.path ?? ""), init);
const json = async (response: Response) => (await response.json()) as Body;
const bearer = { authorization: `Bearer ${PAT}` };
const bodied = (body: string, headers: Record<string, string> = {}) =>
  request({ method: "POST", body, headers: { "content-type": "application/json", ...headers } });

describe("route answers", () => {
  it("returns a value as JSON with no-store", async () => {
    const response = await route({}, () => ({ ok: true }))(request());
    expect(response.status).toBe(200);
    expect(await json(response)).toEqual({ ok: true });
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
  });

  it("passes on a Response with its headers", async () => {
    const answer = () => new Response("x", { status: 201, headers: { "content-type": "text/x" } });
    const response = await route({ cache: "public, max-age=300" }, answer)(request());
    expect(response.status).toBe(201);
    expect(response.headers.get("content-type")).toBe("text/x");
    expect(response.headers.get("cache-control")).toBe("public, max-age=300");
  });

  it("forbids caching of errors, even if successes may be cached", async () => {
    const fail = () => {
      throw new CodedError("not_found");
    };
    const response = await route({ cache: "public, max-age=300" }, fail)(request());
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  it("answers a coded error with its message, code and request id", async () => {
    const fail = () => {
      throw new CodedError("overloaded", { cause: new Error("secret upstream text") });
    };
    const response = await route({}, fail)(request());
    const body = await json(response);
    expect(response.status).toBe(503);
    expect(body).toEqual({ error: expect.any(String), code: "overloaded", requestId: expect.any(String) });
    expect(body.requestId).toBe(response.headers.get("x-request-id"));
    expect(response.headers.get("retry-after")).toBe("5");
    expect(JSON.stringify(body)).not.toContain("upstream");
  });

  it("returns 500 internal for any other error, without details", async () => {
    const response = await route({}, () => {
      throw new Error("the password is open-sesame");
    })(request());
    expect(response.status).toBe(500);
    const body = await json(response);
    expect(body.code).toBe("internal");
    expect(JSON.stringify(body)).not.toContain("open-sesame");
  });

  it("returns 500 internal for a value that JSON can't represent", async () => {
    const response = await route({}, () => undefined)(request());
    expect([response.status, (await json(response)).code]).toEqual([500, "internal"]);
  });

  describe("request ids", () => {
    it.each(["abc-123_=", "a".repeat(128)])("keeps the well-formed request id %j", async (id) => {
      const response = await route({}, () => ({}))(request({ headers: { "x-request-id": id } }));
      expect(response.headers.get("x-request-id")).toBe(id);
    });
    it.each(["", "a b", "a".repeat(129), "é", 'a"b'])("replaces the invalid request id %j", async (id) => {
      const response = await route({}, () => ({}))(request({ headers: { "x-request-id": id } }));
      expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    });
  });

  describe("route tokens", () => {
    const whose = route({ auth: "pat" }, ({ pat }) => ({ pat }));

    it("prefers the bearer, in any case, to the cookie", async () => {
      const headers = { authorization: `bEARER ${PAT}`, cookie: `chat_pat=${"x".repeat(26)}` };
      expect(await json(await whose(request({ headers })))).toEqual({ pat: PAT });
    });
    it("reads the cookie among others", async () => {
      const headers = { cookie: `a=b; chat_pat=${PAT}; chat_patient=no` };
      expect(await json(await whose(request({ headers })))).toEqual({ pat: PAT });
    });
    it("reads the cookie behind a proxy with its own login", async () => {
      const headers = { authorization: "Basic dXNlcjpwYXNz", cookie: `chat_pat=${PAT}` };
      expect(await json(await whose(request({ headers })))).toEqual({ pat: PAT });
    });
    it.each([
      "",
      "Bearer",
      "Bearer ",
      `Bearer ${PAT}x`,
      `Bearer ${PAT} x`,
      `Token ${PAT}`,
      PAT,
      "Bearer UPPERCASEUPPERCASEUPPERCAS",
    ])("refuses a bearer of %j without falling back to the cookie", async (authorization) => {
      const response = await whose(request({ headers: { authorization, cookie: `chat_pat=${PAT}` } }));
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toMatch(/^Bearer/);
      expect((await json(response)).code).toBe("unauthorized");
    });
    it.each(["", "chat_pat=", "chat_pat=short", `chat_pat="${PAT}"`])(
      "refuses a cookie of %j",
      async (cookie) => {
        expect((await whose(request({ headers: { cookie } }))).status).toBe(401);
      },
    );
    it("never reads the token from the query", async () => {
      expect((await whose(request({ path: `?token=${PAT}` }))).status).toBe(401);
    });
  });

  describe("cookies from another site", () => {
    const write = route({ auth: "pat" }, () => ({ ok: true }));
    const send = async (headers: Record<string, string>, method = "POST") =>
      (await write(request({ method, headers: { cookie: `chat_pat=${PAT}`, ...headers } }))).status;

    it.each([
      [{ "sec-fetch-site": "same-origin" }, 200],
      [{ "sec-fetch-site": "none" }, 200],
      [{ "sec-fetch-site": "same-site", origin: "https://other.example.com" }, 403],
      [{ "sec-fetch-site": "cross-site", origin: "https://evil.example" }, 403],
      [{ "sec-fetch-site": "cross-site", origin: "https://app.example.com" }, 200],
      [{ origin: "https://chat.example.com" }, 200],
      [{ origin: "https://app.example.com" }, 200],
      [{ origin: "http://chat.example.com" }, 403],
      [{ origin: "https://chat.example.com.evil.example" }, 403],
      [{ origin: "null" }, 403],
      [{}, 403],
    ])("a write with the headers %j gets %d", async (headers, status) => {
      expect(await send(headers as Record<string, string>)).toBe(status);
    });
    it("allows reads, whose answers the site cannot see", async () => {
      expect(await send({ "sec-fetch-site": "cross-site", origin: "https://evil.example" }, "GET")).toBe(200);
    });
    it("ignores the origin if there is a bearer", async () => {
      const headers = { ...bearer, "sec-fetch-site": "cross-site", origin: "https://evil.example" };
      expect((await write(request({ method: "POST", headers }))).status).toBe(200);
    });
  });

  describe("request bodies", () => {
    const echo = route({ body: z.object({ name: z.string().max(5) }), bodyBytes: 64 }, ({ body }) => body);

    it("parses the body without unknown keys", async () => {
      const response = await echo(
        bodied('{"name":"a","more":1}', { "content-type": "application/json; charset=utf-8" }),
      );
      expect(await json(response)).toEqual({ name: "a" });
    });
    it.each(["text/plain", "application/x-www-form-urlencoded", ""])(
      "returns 415 for the type %j",
      async (type) => {
        expect((await echo(bodied('{"name":"a"}', { "content-type": type }))).status).toBe(415);
      },
    );
    it("returns 415 for a compressed body", async () => {
      const send = (coding: string) => echo(bodied('{"name":"a"}', { "content-encoding": coding }));
      expect((await send("gzip")).status).toBe(415);
      expect((await send("identity")).status).toBe(200);
    });
    it("returns 400 for a missing body", async () => {
      const response = await echo(request({ method: "POST" }));
      expect([response.status, (await json(response)).code]).toEqual([400, "invalid_json"]);
    });
    it("returns 415 without a type, even for a large body that is not JSON", async () => {
      const headers = { "content-length": "100" };
      const sent = request({ method: "POST", body: new Uint8Array(100), headers });
      expect((await echo(sent)).status).toBe(415);
    });
    it("returns 413 over the limit, before parsing", async () => {
      const response = await echo(bodied("x".repeat(65)));
      expect(response.status).toBe(413);
      expect((await json(response)).code).toBe("payload_too_large");
    });
    it("returns 413 over the limit for a chunked body of unknown length", async () => {
      const pieces = new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(new Uint8Array(20).fill(32)),
      });
      const init = {
        method: "POST",
        body: pieces,
        duplex: "half",
        headers: { "content-type": "application/json" },
      };
      expect((await echo(new Request(address, init as RequestInit))).status).toBe(413);
    });
    it("accepts a body of exactly the limit", async () => {
      expect((await echo(bodied(`{"name":"a"}${" ".repeat(52)}`))).status).toBe(200);
    });
    it.each(["", "{", "\u00ff", '{"name":"a"}x', "undefined"])(
      "returns 400 invalid_json for %j",
      async (text) => {
        const response = await echo(bodied(text));
        expect(response.status).toBe(400);
        expect((await json(response)).code).toBe("invalid_json");
      },
    );
    it("returns 400 invalid_json for invalid UTF-8", async () => {
      const sent = request({
        method: "POST",
        body: Buffer.from([0x22, 0xff, 0x22]),
        headers: { "content-type": "application/json" },
      });
      expect((await json(await echo(sent))).code).toBe("invalid_json");
    });
    it.each(["null", "[]", "1", '"x"', "{}", '{"name":1}', '{"name":"toolong"}'])(
      "returns 400 invalid_request with issues for %s",
      async (text) => {
        const response = await echo(bodied(text));
        expect(response.status).toBe(400);
        const body = await json(response);
        expect(body.code).toBe("invalid_request");
        expect(body.issues).toEqual([{ path: expect.any(String), message: expect.any(String) }]);
      },
    );
    it("accepts a missing optional body, and checks one that is sent", async () => {
      const name = z.string().optional();
      const answer = route({ body: z.object({ name }), isBodyOptional: true }, ({ body }) => body);
      expect(await json(await answer(request({ method: "POST" })))).toEqual({});
      for (const text of ['{"name":1}', ""]) expect((await answer(bodied(text))).status).toBe(400);
    });
    it("does not read a body that the route does not declare", async () => {
      const response = await route({}, () => ({ ok: true }))(bodied("{"));
      expect(response.status).toBe(200);
    });
  });

  describe("ids and query", () => {
    const page = routeWith({ http }, "/api/things/{thingId}")(
      { auth: "pat", query: z.object({ n: z.coerce.number().int() }) },
      ({ params, query }) => ({ id: params.thingId, n: query.n }),
    );
    const get = (thingId: string, path = "?n=1", headers: Record<string, string> = bearer) =>
      page(request({ headers, path }), { params: Promise.resolve({ thingId }) });

    it("passes ids and query to the handler", async () => {
      expect(await json(await get(ID))).toEqual({ id: ID, n: 1 });
    });
    it.each(["", "me", "C".repeat(26), `${ID}c`, "../../users/me", "c".repeat(25)])(
      "returns 404 for the id %j",
      async (id) => {
        const response = await get(id);
        expect(response.status).toBe(404);
        expect((await json(response)).code).toBe("not_found");
      },
    );
    it("returns 400 for an invalid query", async () => {
      expect((await get(ID, "?n=x")).status).toBe(400);
      expect((await get(ID, "")).status).toBe(400);
    });
    it("checks the token before ids and query", async () => {
      expect((await get("bad", "?n=x", {})).status).toBe(401);
    });
  });

  describe("cross-origin access", () => {
    const answer = route({}, () => ({}));
    const from = (origin?: string) => answer(request(origin === undefined ? {} : { headers: { origin } }));

    it("lets any origin read without credentials", async () => {
      for (const origin of [undefined, "https://anyone.example", "null"]) {
        const { headers } = await from(origin);
        expect(headers.get("access-control-allow-origin")).toBe("*");
        expect(headers.get("access-control-allow-credentials")).toBeNull();
      }
    });
    it("lets an allowed origin read with credentials", async () => {
      const { headers } = await from("https://app.example.com");
      expect(headers.get("access-control-allow-origin")).toBe("https://app.example.com");
      expect(headers.get("access-control-allow-credentials")).toBe("true");
      expect(headers.get("vary")).toContain("Origin");
    });
    it("exposes the request id to scripts", async () => {
      expect((await from()).headers.get("access-control-expose-headers")).toContain("x-request-id");
    });
    it("exposes the offers and receipts of both protocol versions to scripts", async () => {
      const exposed = (await from()).headers.get("access-control-expose-headers")?.split(", ");
      for (const name of ["x-payment", "x-payment-response", "payment-required", "payment-response"])
        expect(exposed).toContain(name);
    });
    it("sets the same headers on errors", async () => {
      const response = await route({ auth: "pat" }, () => ({}))(
        request({ headers: { origin: "https://a.example" } }),
      );
      expect(response.status).toBe(401);
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
    });
  });
});
