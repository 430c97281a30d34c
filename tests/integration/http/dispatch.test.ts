import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { BytesAnswer } from "../../../lib/async/bytes-answer.ts";
import type { ChunkReceiver, PushedBody } from "../../../lib/async/pushed-body.ts";
import { CLIENT_ADDRESS_HEADER } from "../../../lib/http/client-address.ts";
import { createDispatcher } from "../../../lib/http/dispatch.ts";
import { createHttpServer } from "../../../lib/http/http-server.ts";
import { log } from "../../../lib/log.ts";
import { exchangeBytes } from "../../harness/exchange-bytes.ts";
import { httpScope, tableOf } from "../../harness/http-scope.ts";
import { soon } from "../../harness/soon.ts";

const seen = { hanging: 0, aborted: 0, pulled: 0, cancelled: 0, pushed: 0, abandoned: 0 };
const megabyte = new Uint8Array(1024 * 1024);

/** A body that pushes megabytes while its receiver has room. */
function endlessBody(): PushedBody {
  let receiver: ChunkReceiver | null = null;
  const push = () => {
    if (!receiver) return;
    seen.pushed++;
    if (receiver.chunk(megabyte)) setImmediate(push);
  };
  return {
    begin(given) {
      receiver = given;
      push();
    },
    resume: push,
    cancel() {
      if (receiver) seen.abandoned++;
      receiver = null;
    },
  };
}

const allowedOrigin = "https://app.example.com";
const http = httpScope({ publicUrl: "http://localhost", allowedOrigins: [allowedOrigin] });
const proxiedHttp = httpScope({ trustProxy: 2, allowedOrigins: [allowedOrigin] });
const table = tableOf(
  http,
  {
    "/api/value": { GET: () => ({ text: "é" }) },
    "/api/plain": { GET: ({ request }) => new Response(request.url) },
    "/api/things/[name]": {
      GET: ({ params }) => Response.json(params),
      DELETE: () => new Response(null, { status: 204 }),
    },
    "/api/things/[name]/parts/[part]": { GET: ({ params }) => Response.json(params) },
    "/api/things/fixed": { GET: () => new Response("fixed") },
    "/api/client": { GET: ({ clientAddress }) => new Response(clientAddress) },
    "/api/echo": { POST: async ({ request }) => new Response(await request.text()) },
    "/api/json": { POST: () => ({ ok: true }) },
    "/api/cookies": {
      GET: () => {
        const headers = new Headers();
        headers.append("set-cookie", "a=1; Path=/");
        headers.append("set-cookie", "b=2; Path=/");
        return new Response("x", { headers });
      },
    },
    "/api/endless": {
      GET: () =>
        new Response(
          new ReadableStream({
            pull(controller) {
              seen.pulled++;
              controller.enqueue(megabyte);
            },
            cancel() {
              seen.cancelled++;
            },
          }),
        ),
    },
    "/api/pushed": { GET: () => new BytesAnswer(endlessBody(), { headers: { "content-type": "x/y" } }) },
    "/api/bytes": {
      GET: () => new BytesAnswer(megabyte, { status: 203, headers: { "content-type": "x/y" } }),
    },
    "/api/stopping": {
      GET: () => {
        const begin = (receiver: ChunkReceiver) => {
          receiver.chunk(megabyte);
          receiver.fail(new Error("secret text"));
        };
        const body = { begin, resume: () => undefined, cancel: () => undefined };
        return new BytesAnswer(body, { headers: { "content-length": "2000000" } });
      },
    },
    "/api/hanging": {
      GET: ({ signal }) =>
        new Promise<Response>((resolve) => {
          seen.hanging++;
          signal.addEventListener("abort", () => {
            seen.aborted++;
            resolve(new Response("late"));
          });
        }),
    },
    "/api/broken": {
      GET: () => {
        throw new Error("secret text");
      },
    },
    "/.well-known/keys.json": { GET: () => Response.json({ keys: [] }) },
  },
  {
    "/api/value": { cache: "no-cache" },
    "/api/json": { body: z.unknown(), bodyBytes: 1000 },
  },
);

const server = createHttpServer({
  http,
  dispatcher: createDispatcher(table, { http }),
  next: (_incoming, outgoing) => outgoing.end("a page"),
  upgradeOf: () => null,
});
const proxied = createHttpServer({
  http: proxiedHttp,
  dispatcher: createDispatcher(table, { http: proxiedHttp }),
  next: null,
  upgradeOf: () => null,
});
const extended = createHttpServer({
  http,
  dispatcher: createDispatcher(
    table,
    { http },
    {
      entries: {
        "/api/things/[name]": "/api/things/[name]/route",
        "/api/things/new": "/api/things/new/route",
        "/api/things/[name]/parts/all": "/api/things/[name]/parts/all/route",
        "/api/things/kinds/[...path]": "/api/things/kinds/[...path]/route",
        "/api/[...path]": "/api/[...path]/route",
      },
      changes: (path) => path === "/api/client",
    },
  ),
  next: (_incoming, outgoing) => outgoing.end("Next's"),
  upgradeOf: () => null,
});
let port = 0;
const url = (path: string) => `http://127.0.0.1:${port}${path}`;
/** Returns the URL of a path on the server whose app has more routes. */
const inApp = (path: string) => `http://127.0.0.1:${(extended.address() as AddressInfo).port}${path}`;
/** Returns the URL of a path on the server without Next. */
const alone = (path: string) => `http://127.0.0.1:${(proxied.address() as AddressInfo).port}${path}`;

const exchange = (text: string, to = port) => exchangeBytes(to, text);

beforeAll(async () => {
  log("silent");
  for (const each of [server, proxied, extended]) await once(each.listen(0, "127.0.0.1"), "listening");
  port = (server.address() as AddressInfo).port;
});

afterAll(() => {
  for (const each of [server, proxied, extended]) {
    each.close();
    each.closeAllConnections();
  }
});

describe("dispatch", () => {
  test("passes decoded parameters, and prefers fixed segments", async () => {
    expect(await (await fetch(url("/api/things/a%20b"))).json()).toEqual({ name: "a b" });
    expect(await (await fetch(url("/api/things/a/parts/b"))).json()).toEqual({ name: "a", part: "b" });
    expect(await (await fetch(url("/api/things/fixed"))).text()).toBe("fixed");
  });

  test("leaves paths outside the table to Next, including those below /api", async () => {
    for (const path of ["/api/nothing", "/api/things", "/apiary"])
      expect(await (await fetch(url(path))).text()).toBe("a page");
  });

  test.each([
    "/api/things/new",
    "/api/things/new/",
    "/api/things/a/parts/all",
    "/api/things/kinds/x",
    "/api/things/kinds/parts/b",
  ])("leaves %s to Next, which has a more specific route", async (path) => {
    expect(await (await fetch(inApp(path))).text()).toBe("Next's");
  });

  test("prefers the table's routes to less specific routes of the app", async () => {
    expect(await (await fetch(inApp("/api/things/a"))).json()).toEqual({ name: "a" });
    expect(await (await fetch(inApp("/api/things/kinds"))).json()).toEqual({ name: "kinds" });
    expect(await (await fetch(inApp("/api/things/a/parts/b"))).json()).toEqual({ name: "a", part: "b" });
    expect(await (await fetch(inApp("/api/value"))).json()).toEqual({ text: "é" });
  });

  test("leaves to Next a path that its middleware or configuration changes", async () => {
    expect(await (await fetch(inApp("/api/client"))).text()).toBe("Next's");
  });

  test("without Next, returns 404 in the contract's shape for an unknown or undecodable path", async () => {
    for (const path of ["/api", "/api/nothing", "/api/things/%zz", "/api/things//parts/x", "/api/things/"]) {
      const response = await fetch(alone(path));
      expect([path, response.status]).toEqual([path, 404]);
      const body = (await response.json()) as { requestId: string };
      expect(body).toMatchObject({ code: "not_found", error: expect.any(String) });
      expect(response.headers.get("x-request-id")).toBe(body.requestId);
      expect(response.headers.get("cache-control")).toBe("no-store");
    }
  });

  test("redirects a trailing slash to the path without it, keeping the query", async () => {
    const response = await fetch(url("/api/plain/?a=1"), { redirect: "manual" });
    expect(response.status).toBe(308);
    expect(response.headers.get("location")).toBe("/api/plain?a=1");
    expect(response.headers.get("x-request-id")).toMatch(/^[\w-]{36}$/);
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  test("answers a preflight for a path in the table, and returns 404 for another", async () => {
    const ask = (path: string) =>
      fetch(alone(path), { method: "OPTIONS", headers: { origin: allowedOrigin } });
    const { status, headers } = await ask("/api/things/a");
    expect([status, headers.get("access-control-allow-origin")]).toEqual([204, allowedOrigin]);
    expect((await ask("/api/nothing")).status).toBe(404);
  });

  test("serves a path outside /api that the table contains", async () => {
    expect(await (await fetch(url("/.well-known/keys.json"))).json()).toEqual({ keys: [] });
  });

  test("returns 405 with the route's methods for another method", async () => {
    const response = await fetch(url("/api/things/a"), { method: "POST" });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("GET, HEAD, DELETE, OPTIONS");
    expect(await response.json()).toMatchObject({ code: "method_not_allowed" });
  });

  test("adds CORS headers to answers without a route, with credentials for allowed origins only", async () => {
    const cases: ReadonlyArray<[path: string, method: string, status: number]> = [
      ["/api/nothing", "GET", 404],
      ["/api/things/a", "POST", 405],
      ["/api/plain/", "GET", 308],
    ];
    for (const [path, method, status] of cases) {
      const ask = (origin: string) =>
        fetch(alone(path), { method, headers: { origin }, redirect: "manual" }).then((answer) => ({
          status: answer.status,
          origin: answer.headers.get("access-control-allow-origin"),
          credentials: answer.headers.get("access-control-allow-credentials"),
          vary: answer.headers.get("vary")?.split(", ")[0],
        }));
      expect(await ask(allowedOrigin)).toEqual({
        status,
        origin: allowedOrigin,
        credentials: "true",
        vary: "Origin",
      });
      expect(await ask("https://anyone.example")).toMatchObject({ status, origin: "*", credentials: null });
    }
  });

  test("answers HEAD like GET, without the body", async () => {
    const response = await fetch(url("/api/things/fixed"), { method: "HEAD" });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe("");
  });
});

describe("a failing request", () => {
  test("gets 500 without the error's message when the route's function throws", async () => {
    const response = await fetch(url("/api/broken"));
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("secret text");
  });

  test("over the size limit gets 413 while still being sent, and the connection survives", async () => {
    const body = "x".repeat(3_000_000);
    const head = `POST /api/json HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    const second = "GET /api/things/fixed HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    const answer = await exchange(`${head}\r\n${body}${second}`);
    expect(answer).toMatch(/^HTTP\/1.1 413 .*payload_too_large.*HTTP\/1.1 200 .*fixed/s);
  });

  test("over the size limit gets 413 even when chunked", async () => {
    const response = await fetch(url("/api/json"), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: new Blob(["x".repeat(100_000)]).stream(),
      duplex: "half",
    } as RequestInit);
    expect(response.status).toBe(413);
  });
});

describe("a client that offers HTTP/2", () => {
  const offer = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n";

  test("is served over HTTP/1.1, including bodies and later requests", async () => {
    const socket = connect(port, "127.0.0.1");
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    const ask = async (text: string, expected: string) => {
      socket.write(text);
      await soon(() => expect(answer).toContain(expected));
    };
    await ask(
      `POST /api/echo HTTP/1.1\r\nHost: x\r\n${offer}Content-Length: 5\r\n\r\nhello`,
      "\r\n\r\nhello",
    );
    await ask(`GET /api/things/fixed HTTP/1.1\r\nHost: x\r\n${offer}\r\n`, "\r\n\r\nfixed");
    await ask(`GET /api/things/a HTTP/1.1\r\nHost: x\r\n\r\n`, '{"name":"a"}');
    socket.destroy();
  });
});

describe("the client's address", () => {
  const ask = (headers: Record<string, string>, to: number) =>
    fetch(`http://127.0.0.1:${to}/api/client`, { headers }).then((response) => response.text());

  test("is the socket's, not one that the client's headers name", async () => {
    expect(await ask({ [CLIENT_ADDRESS_HEADER]: "6.6.6.6", "x-forwarded-for": "7.7.7.7" }, port)).toBe(
      "127.0.0.1",
    );
  });

  test("is the outermost trusted proxy's entry with TRUST_PROXY", async () => {
    const { port: to } = proxied.address() as AddressInfo;
    expect(await ask({ "x-forwarded-for": "6.6.6.6, 1.2.3.4, 10.0.0.1" }, to)).toBe("1.2.3.4");
    expect(await ask({ "x-forwarded-for": "10.0.0.1" }, to)).toBe("10.0.0.1");
    expect(await ask({}, to)).toBe("127.0.0.1");
  });
});

describe("a route's function", () => {
  test("answers GET as it does when called directly, and HEAD without the body", async () => {
    const headers = { "x-request-id": "abc" };
    const value = table["/api/value"]?.GET;
    if (!value) throw new Error("the route is missing");
    const web = await value(new Request(url("/api/value"), { headers }));
    const expected = { ...Object.fromEntries(web.headers), vary: "Origin, Accept-Encoding" };
    expect(expected).toMatchObject({ "content-type": "application/json", "cache-control": "no-cache" });
    for (const method of ["GET", "HEAD"]) {
      const response = await fetch(url("/api/value"), { method, headers });
      expect([response.status, Object.fromEntries(response.headers)]).toMatchObject([200, expected]);
      expect(await response.text()).toBe(method === "GET" ? '{"text":"é"}' : "");
    }
    expect(await web.text()).toBe('{"text":"é"}');
  });

  test("sends each Set-Cookie as a separate header", async () => {
    const response = await fetch(url("/api/cookies"));
    expect(response.headers.getSetCookie()).toEqual(["a=1; Path=/", "b=2; Path=/"]);
    expect(response.headers.get("content-length")).toBe("1");
  });

  test("receives the complete request body from several chunks", async () => {
    const text = "0123456789".repeat(50_000);
    const response = await fetch(url("/api/echo"), { method: "POST", body: text });
    expect(await response.text()).toBe(text);
  });

  test("has its stream paused for a stalled reader and ended for a disconnected one", async () => {
    const controller = new AbortController();
    const response = await fetch(url("/api/endless"), { signal: controller.signal });
    await response.body?.getReader().read();
    await soon(async () => {
      const before = seen.pulled;
      // A stream that is still read would be read again while these twenty answers arrive.
      for (let other = 0; other < 20; other++) await (await fetch(url("/api/value"))).text();
      expect(seen.pulled).toBe(before);
    });
    expect(seen.pulled).toBeLessThan(100);
    controller.abort();
    await soon(() => expect(seen.cancelled).toBe(1));
  });

  test("has its pushed body paused for a stalled reader and abandoned for a disconnected one", async () => {
    const before = seen.abandoned;
    const controller = new AbortController();
    const response = await fetch(url("/api/pushed"), { signal: controller.signal });
    await response.body?.getReader().read();
    await soon(async () => {
      const pushed = seen.pushed;
      // A body that is still pushed would arrive while these twenty answers do.
      for (let other = 0; other < 20; other++) await (await fetch(url("/api/value"))).text();
      expect(seen.pushed).toBe(pushed);
    });
    expect(seen.pushed).toBeLessThan(100);
    controller.abort();
    await soon(() => expect(seen.abandoned).toBe(before + 1));
  });

  test("answers with bytes and their length, and HEAD without them", async () => {
    for (const method of ["GET", "HEAD"]) {
      const response = await fetch(url("/api/bytes"), { method });
      expect([response.status, response.headers.get("content-length")]).toEqual([203, "1048576"]);
      expect((await response.arrayBuffer()).byteLength).toBe(method === "GET" ? 1_048_576 : 0);
    }
  });

  test("answers with bytes and pushed bodies when called directly too", async () => {
    const ask = (path: string) => table[path]?.GET(new Request(url(path)));
    const whole = await ask("/api/bytes");
    expect([whole?.status, whole?.headers.get("content-length")]).toEqual([203, "1048576"]);
    expect((await whole?.arrayBuffer())?.byteLength).toBe(1_048_576);
    const before = seen.abandoned;
    const reader = (await ask("/api/pushed"))?.body?.getReader();
    for (let time = 0; time < 3; time++) expect((await reader?.read())?.value).toEqual(megabyte);
    await reader?.cancel();
    expect(seen.abandoned).toBe(before + 1);
  });

  test("pushes nothing for HEAD", async () => {
    const before = seen.pushed;
    const response = await fetch(url("/api/pushed"), { method: "HEAD" });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "x/y"]);
    expect(seen.pushed).toBe(before);
  });

  test("breaks an answer off if its pushed body does", async () => {
    const read = async () => (await fetch(url("/api/stopping"))).arrayBuffer();
    await expect(read()).rejects.toThrow();
  });

  test("gets an aborted signal when its client disconnects", async () => {
    const controller = new AbortController();
    const answer = fetch(url("/api/hanging"), { signal: controller.signal });
    await soon(() => expect(seen.hanging).toBe(1));
    controller.abort();
    await expect(answer).rejects.toThrow();
    await soon(() => expect(seen.aborted).toBe(1));
  });
});
