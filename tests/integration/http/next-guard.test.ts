import { describe, expect, test } from "vitest";
import { exchangeBytes } from "../../harness/exchange-bytes.ts";
import { openHttpServer } from "../../harness/open-http-server.ts";

const port = openHttpServer(
  () => ({}),
  ({ headers }, outgoing) => outgoing.end(`a page, range ${headers.range ?? "none"}`),
);

const ask = (line: string, ...headers: string[]) =>
  exchangeBytes(
    port(),
    [`${line} HTTP/1.1`, "Host: x", "Connection: close", ...headers, "", ""].join("\r\n"),
  );
const tree = (state: unknown) =>
  `Next-Router-State-Tree: ${encodeURIComponent(typeof state === "string" ? state : JSON.stringify(state))}`;

describe("a request for Next", () => {
  test.each(["/chat/%", "/articles/%zz", "/articles/%ff", "/%c0%ae", "/x/%ed%a0%80"])(
    "is refused with 400 in the contract's shape for an undecodable path (%s)",
    async (path) => {
      expect(await ask(`GET ${path}`)).toMatch(/^HTTP\/1.1 400 .*"code":"invalid_request","requestId"/s);
    },
  );

  test("is refused with 405 for TRACE, which web requests can't have", async () => {
    const answer = await ask("TRACE /chat");
    expect(answer).toMatch(/^HTTP\/1.1 405 .*method_not_allowed/s);
    expect(answer).toMatch(/^allow: GET, HEAD$/im);
  });

  test.each([
    "POST /",
    "PUT /x",
    "DELETE /x",
    "OPTIONS /x",
    "PROPFIND /x",
    "DELETE /api/x",
    "GET /_next/image?url=%2Fx.png&w=640&q=75",
  ])("such as %s passes, because another page or route may serve it", async (line) => {
    expect(await ask(line)).toMatch(/^HTTP\/1.1 200 .*a page/s);
  });

  test.each(["PROPFIND", "QUERY"])(
    "with %s below /api gets 405, because no route file can serve it",
    async (method) => {
      expect(await ask(`${method} /api/x`)).toMatch(/^HTTP\/1.1 405 .*method_not_allowed/s);
    },
  );

  test("for a server action passes", async () => {
    expect(await ask("POST /", "Next-Action: 00", "Content-Length: 0")).toMatch(/^HTTP\/1.1 200 .*a page/s);
  });

  test.each(["/_global-error", "/%5Fglobal-error", "/x/../_global-error"])(
    "for Next's own failure page (%s) gets 404",
    async (target) => {
      expect(await ask(`GET ${target}`)).toMatch(/^HTTP\/1.1 404 .*not_found/s);
    },
  );

  test.each([
    ["that is not JSON", "%%%"],
    ["without segments", []],
    ["of another shape", ["", null]],
    ["that has an unknown kind of parameter", [["id", "1", "x", null], {}]],
    ["that has more elements than Next reads", ["", {}, null, null, 0, "", 1]],
  ])("with a router state %s gets 400", async (_, state) => {
    expect(await ask("GET /", "RSC: 1", tree(state))).toMatch(/^HTTP\/1.1 400 .*invalid_request/s);
  });

  test("with a valid router state reaches the page", async () => {
    const states = [
      ["", { children: ["(demo)", { children: ["__PAGE__", {}] }] }, null, null, 16],
      [
        "",
        { children: [["channelId", "c", "d", null], { children: ["__PAGE__", {}] }] },
        ["/", ""],
        "refetch",
      ],
    ];
    for (const state of states)
      expect(await ask("GET /", "RSC: 1", tree(state))).toMatch(/^HTTP\/1.1 200 .*a page/s);
  });

  test.each([
    ["/_next/static/x.js", "bytes=0-"],
    ["/license.txt", "bytes=9999999-"],
    ["/license.txt", "bytes=-0"],
    ["/license.txt", "bytes=0-1,5-6"],
    ["/license.txt", "lines=0-1"],
  ])("for %s loses the range %s, which Next can't satisfy", async (path, range) => {
    const answer = await ask(`GET ${path}`, `Range: ${range}`, 'If-Match: "x"');
    expect(answer).toMatch(/^HTTP\/1.1 200 .*a page, range none/s);
  });

  test.each(["bytes=0-1", "bytes=10-", "bytes=-5", "bytes=0-9999999"])(
    "for an existing part of a file keeps the range %s",
    async (range) => {
      expect(await ask("GET /license.txt", `Range: ${range}`)).toContain(`range ${range}`);
    },
  );

  test("for a path other than a file's keeps its range", async () => {
    expect(await ask("GET /their/video", "Range: bytes=5-6,8-9")).toContain("range bytes=5-6,8-9");
  });
});
