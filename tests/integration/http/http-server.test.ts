import { describe, expect, test } from "vitest";
import { exchangeBytes } from "../../harness/exchange-bytes.ts";
import { tableOf } from "../../harness/http-scope.ts";
import { openHttpServer } from "../../harness/open-http-server.ts";

const paths: Parameters<typeof tableOf>[1] = {
  "/api/plain": { GET: ({ request }) => new Response(request.url) },
};

describe("a request", () => {
  const port = openHttpServer((http) => tableOf(http, paths));

  const exchange = (text: string) => exchangeBytes(port(), text);

  test("with an unusual or invalid target, Host or head leaves the server up", async () => {
    expect(await exchange("GET // HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")).toContain("a page");
    expect(await exchange("GET /api/plain HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n")).toMatch(
      /^HTTP\/1.1 400 .*invalid_request/s,
    );
    expect(await exchange("GET http://[ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")).toMatch(
      /^HTTP\/1.1 /,
    );
    expect(await exchange("nonsense\r\n\r\n")).toMatch(
      /^HTTP\/1.1 400 .*x-request-id: [\w-]{36}.*"code":"invalid_request"/s,
    );
    expect(await exchange(`GET /api/plain HTTP/1.1\r\nHost: x\r\nx: ${"y".repeat(20_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 431 /,
    );
    expect(await exchange("GET /api/plain HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1.1 200 /);
  });

  test.each([
    ["no Host", "GET /api/plain HTTP/1.1\r\n"],
    ["no Host on a page", "GET / HTTP/1.1\r\n"],
    ["two Hosts", "GET /api/plain HTTP/1.1\r\nHost: x\r\nHost: y\r\n"],
    ["an empty Host", "GET /api/plain HTTP/1.1\r\nHost: \r\n"],
    ["a Host with a path", "GET /api/plain HTTP/1.1\r\nHost: x/y\r\n"],
    ["a Host with a query", "GET /api/plain HTTP/1.1\r\nHost: x?y\r\n"],
    ["an asterisk as its path", "OPTIONS * HTTP/1.1\r\nHost: x\r\n"],
    [
      "an asterisk as its path and an upgrade",
      "GET * HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n",
    ],
  ])("with %s gets 400 in the contract's shape, and its connection closes", async (_, head) => {
    const answer = await exchange(`${head}X-Request-Id: mine\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 400 .*"code":"invalid_request","requestId":"mine"/s);
    expect(answer).toMatch(/^connection: close$/im);
  });

  test("whose target is an absolute URL is answered like its path at that host", async () => {
    const ask = (target: string) =>
      exchange(`GET ${target} HTTP/1.1\r\nHost: other\r\nConnection: close\r\n\r\n`);
    expect(await ask("http://gate.example:81/api/plain?a=1")).toMatch(
      /^HTTP\/1.1 200 .*http:\/\/gate\.example:81\/api\/plain\?a=1/s,
    );
    expect(await ask("http://gate.example")).toContain("a page");
  });

  test.each(["/./api/plain", "/x/../api/plain", "/%2e/api/plain", "/x/.%2E/api", "/x\\..\\api/plain"])(
    "with an indirect path to the API, such as %s, goes to Next",
    async (target) => {
      expect(await exchange(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).toContain(
        "a page",
      );
    },
  );

  test("of HTTP/1.0 needs no Host", async () => {
    expect(await exchange("GET /api/plain HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1.1 200 /);
  });

  test("with a method that web requests can't have gets 405", async () => {
    for (const line of ["TRACE /api/plain", "CONNECT gate.example:443"])
      expect(await exchange(`${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).toMatch(
        /^HTTP\/1.1 405 .*method_not_allowed/s,
      );
  });

  test("with an unknown Expect header is served as if it had none", async () => {
    const head = "GET /api/plain HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nConnection: close\r\n\r\n";
    expect(await exchange(head)).toMatch(/^HTTP\/1.1 200 .*plain/s);
  });
});
