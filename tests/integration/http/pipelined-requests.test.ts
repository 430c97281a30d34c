import { connect } from "node:net";
import { beforeEach, describe, expect, test } from "vitest";
import { exchangeBytes } from "../../harness/exchange-bytes.ts";
import { tableOf } from "../../harness/http-scope.ts";
import { openHttpServer } from "../../harness/open-http-server.ts";

let atOnce = 0;
let most = 0;
let begun = 0;
const never = new Promise<Response>(() => undefined);
const paths: Parameters<typeof tableOf>[1] = {
  "/api/things/[id]": {
    async GET({ params }) {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await new Promise((resolve) => setImmediate(resolve));
      atOnce -= 1;
      return new Response(`thing ${params.id}`);
    },
    POST: async ({ request }) => new Response(await request.text()),
  },
  "/api/stuck": {
    GET: () => {
      begun += 1;
      return never;
    },
  },
};

describe("pipelined requests of one client", () => {
  const port = openHttpServer((http) => tableOf(http, paths));
  const get = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;

  beforeEach(() => {
    most = 0;
    begun = 0;
  });

  test("are served one after another, including refused ones and those with bodies", async () => {
    const things = Array.from({ length: 20 }, (_, id) => get(`/api/things/${id}`));
    const body = "POST /api/things/x HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody";
    const trace = "TRACE /page HTTP/1.1\r\nHost: x\r\n\r\n";
    const others = body + get("/page") + trace + get("/api/things/last", "Connection: close\r\n");
    const answer = await exchangeBytes(port(), things.join("") + others);
    const order = [...answer.matchAll(/thing (\d+|last)|body|a page|method_not_allowed/g)].map(
      ([text]) => text,
    );
    expect(order).toEqual([
      ...things.map((_, id) => `thing ${id}`),
      "body",
      "a page",
      "method_not_allowed",
      "thing last",
    ]);
    expect(most).toBe(1);
  });

  test("lose their connection if there are 200 of them, while other clients are served", async () => {
    const answer = await exchangeBytes(port(), get("/api/stuck").repeat(200));
    expect([answer, begun]).toEqual(["", 1]);
    const response = await fetch(`http://127.0.0.1:${port()}/api/things/a`);
    expect(await response.text()).toBe("thing a");
  });

  test("are dropped when the client disconnects", async () => {
    const socket = connect(port(), "127.0.0.1");
    socket.write(get("/api/stuck").repeat(10));
    await expect.poll(() => begun).toBe(1);
    socket.resetAndDestroy();
    await fetch(`http://127.0.0.1:${port()}/api/things/a`);
    expect(begun).toBe(1);
  });
});
