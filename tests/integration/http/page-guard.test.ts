import { describe, expect, test } from "vitest";
import { exchangeBytes } from "../../harness/exchange-bytes.ts";
import { openGatewayServer } from "../../harness/open-gateway-server.ts";

const port = openGatewayServer({}, ({ headers }, outgoing) =>
  outgoing.end(`a page, range ${headers.range ?? "none"}`),
);

const ask = (line: string, ...headers: string[]) =>
  exchangeBytes(
    port(),
    [`${line} HTTP/1.1`, "Host: x", "Connection: close", ...headers, "", ""].join("\r\n"),
  );
const tree = (state: unknown) =>
  `Next-Router-State-Tree: ${encodeURIComponent(typeof state === "string" ? state : JSON.stringify(state))}`;

describe("a request for a page", () => {
  test.each(["/chat/%", "/articles/%zz", "/articles/%ff", "/%c0%ae", "/x/%ed%a0%80"])(
    "whose path can't be decoded (%s) is 400 in the contract's shape",
    async (path) => {
      expect(await ask(`GET ${path}`)).toMatch(/^HTTP\/1.1 400 .*"code":"invalid_request","requestId"/s);
    },
  );

  test.each(["TRACE", "POST", "PUT", "DELETE", "OPTIONS", "PROPFIND", "QUERY"])(
    "with %s is 405 and tells the methods that pages have",
    async (method) => {
      const answer = await ask(`${method} /chat`);
      expect(answer).toMatch(/^HTTP\/1.1 405 .*method_not_allowed/s);
      expect(answer).toMatch(/^allow: GET, HEAD$/im);
    },
  );

  test("for a server action is 404, whatever its method: there are none", async () => {
    for (const method of ["GET", "POST"])
      expect(await ask(`${method} /`, "Next-Action: 00", "Content-Length: 0")).toMatch(
        /^HTTP\/1.1 404 .*not_found/s,
      );
  });

  test.each([
    "/_next/image",
    "/_next/image?url=%2Fx.png&w=640&q=75",
    "/%5Fnext/image?url=x",
    "/_next//image?url=x",
    "/x/../_next/image?url=x",
    "/_global-error",
  ])("for what no page needs (%s) is 404", async (target) => {
    expect(await ask(`GET ${target}`)).toMatch(/^HTTP\/1.1 404 .*not_found/s);
  });

  test.each([
    ["that is no JSON", "%%%"],
    ["without segments", []],
    ["of another shape", ["", []]],
    ["with a kind of parameter that is none", [["id", "1", "x", null], {}]],
    ["with more than Next reads", ["", {}, null, null, 0, "", 1]],
  ])("with a router state %s is 400", async (_, state) => {
    expect(await ask("GET /", "RSC: 1", tree(state))).toMatch(/^HTTP\/1.1 400 .*invalid_request/s);
  });

  test("with a router state as Next's router sends it comes to its page", async () => {
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

  test("comes to it without ranges and conditions, which Next answers with 500 where they don't hold", async () => {
    const answer = await ask("GET /emoji/x.json", "Range: bytes=9999999-", 'If-Match: "x"');
    expect(answer).toMatch(/^HTTP\/1.1 200 .*a page, range none/s);
  });
});
