import type { IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:net";
import { brotliCompressSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createPages } from "../../../lib/http/pages.ts";
import { openHttpServer } from "../../harness/open-http-server.ts";

/** Creates pages with an empty store, and exposes the state that a test observes. */
function createObservedPages() {
  const asked = new Map<string, ServerResponse>();
  const rendered: string[] = [];
  /** Unfinished answers of slow pages, by path. */
  const unfinished = new Map<string, ServerResponse>();
  const timesRendered = (path: string) => rendered.filter((one) => one === path).length;

  const serve = createPages({
    render(incoming: IncomingMessage, outgoing: ServerResponse) {
      const path = incoming.url ?? "";
      rendered.push(path);
      if (path.startsWith("/slow")) return void unfinished.set(path, outgoing);
      if (path === "/guarded" && !incoming.headers.cookie?.includes("reader=")) {
        outgoing.statusCode = 307;
        outgoing.setHeader("location", "/sign-in");
      }
      if (path === "/greets") outgoing.setHeader("set-cookie", `seen=${rendered.length}`);
      if (path === "/fails" && timesRendered(path) === 1) outgoing.statusCode = 500;
      const { host = "" } = incoming.headers;
      outgoing.setHeader("content-security-policy", `script-src 'nonce-n'; connect-src ws://${host}`);
      const text = `${path} number ${rendered.length}`;
      outgoing.end(path.endsWith(".br") ? brotliCompressSync(text) : text);
    },
    kept: new Set(["/kept", "/spoken", "/fails", "/guarded", "/greets", "/slow/kept/1", "/slow/kept/2"]),
    files: new Set(["/file.js", "/file.js.br", "/late.js", "/picture.png", "/picture.png.br"]),
    takesTurns: (path) => !path.startsWith("/slow/theirs"),
    languageOf: ({ headers }) => (headers["accept-language"] === "es" ? "es" : "en"),
    trustProxy: 1,
  });
  return {
    serve(incoming: IncomingMessage, outgoing: ServerResponse) {
      asked.set(incoming.url ?? "", outgoing);
      return serve(incoming, outgoing);
    },
    asked,
    unfinished,
    timesRendered,
  };
}

let pages = createObservedPages();
beforeEach(() => {
  pages = createObservedPages();
});
afterEach(() => {
  for (const outgoing of pages.unfinished.values()) outgoing.destroy();
});

const port = openHttpServer(
  () => ({}),
  (incoming, outgoing) => pages.serve(incoming, outgoing),
);

const ask = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${port()}${path}`, init);

describe("a static page", () => {
  test("is rendered once for all readers, by GET and HEAD, with a query or without", async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => ask("/kept").then((one) => one.text())),
    );
    expect(new Set(answers).size).toBe(1);
    expect(await (await ask("/kept?x=1")).text()).toBe(answers[0]);
    const head = await ask("/kept", { method: "HEAD", headers: { "accept-encoding": "identity" } });
    expect(Number(head.headers.get("content-length"))).toBe(answers[0]?.length);
    expect(pages.timesRendered("/kept")).toBe(1);
  });

  test("is rendered once for each language", async () => {
    const texts = ["en", "es", "es", "en"].map((language) =>
      ask("/spoken", { headers: { "accept-language": language } }).then((answer) => answer.text()),
    );
    expect(new Set(await Promise.all(texts)).size).toBe(2);
    expect(pages.timesRendered("/spoken")).toBe(2);
  });

  test("is compressed for readers that accept it", async () => {
    const answer = await ask("/kept", { headers: { "accept-encoding": "gzip" } });
    expect(answer.headers.get("content-encoding")).toBe("gzip");
    expect(await answer.text()).toContain("/kept number");
    const plain = await ask("/kept", { headers: { "accept-encoding": "gzip;q=0" } });
    expect(plain.headers.get("content-encoding")).toBeNull();
  });

  test("has a policy with its reader's host", async () => {
    const answer = await ask("/kept");
    expect(answer.headers.get("content-security-policy")).toBe(
      `script-src 'nonce-n'; connect-src ws://127.0.0.1:${port()}`,
    );
  });

  test("waits its turn while another page renders", async () => {
    await ask("/kept");
    const first = ask("/slow/kept/1");
    await expect.poll(() => pages.unfinished.has("/slow/kept/1")).toBe(true);
    const second = ask("/slow/kept/2");
    expect(await (await ask("/kept")).text()).toContain("/kept");
    expect(pages.timesRendered("/slow/kept/2")).toBe(0);
    pages.unfinished.get("/slow/kept/1")?.end("done");
    expect(await (await first).text()).toBe("done");
    await expect.poll(() => pages.unfinished.has("/slow/kept/2")).toBe(true);
    pages.unfinished.get("/slow/kept/2")?.end("done");
    await second;
  });

  test("is rendered for each reader if it redirects or sets a cookie", async () => {
    expect((await ask("/guarded", { redirect: "manual" })).status).toBe(307);
    expect((await ask("/guarded", { headers: { cookie: "reader=alice" } })).status).toBe(200);
    const [first, second] = [await ask("/greets"), await ask("/greets")];
    expect(first.headers.get("set-cookie")).not.toBe(second.headers.get("set-cookie"));
  });

  test("is rendered again after a failure", async () => {
    expect((await ask("/fails")).status).toBe(500);
    expect((await ask("/fails")).status).toBe(200);
  });
});

describe("a page that is not static", () => {
  const from = (address: string) => ({ headers: { "x-forwarded-for": address } });

  test("is rendered one at a time for each address, without holding up other addresses", async () => {
    const first = ask("/slow/1", from("192.0.2.1"));
    await expect.poll(() => pages.unfinished.has("/slow/1")).toBe(true);
    const second = ask("/slow/2", from("192.0.2.1"));
    expect(await (await ask("/other", from("192.0.2.2"))).text()).toContain("/other");
    expect(pages.timesRendered("/slow/2")).toBe(0);
    pages.unfinished.get("/slow/1")?.end("done");
    await first;
    await expect.poll(() => pages.unfinished.has("/slow/2")).toBe(true);
    pages.unfinished.get("/slow/2")?.end("done");
    await second;
  });

  test("of the app that uses the gateway neither waits for other pages nor holds them up", async () => {
    const open = ["/slow/theirs/1", "/slow/theirs/2"];
    const answers = open.map((path) => ask(path, from("192.0.2.5")));
    await expect.poll(() => open.every((path) => pages.unfinished.has(path))).toBe(true);
    expect(await (await ask("/other/2", from("192.0.2.5"))).text()).toContain("/other/2");
    for (const path of open) pages.unfinished.get(path)?.end("done");
    await Promise.all(answers);
  });

  test("is not rendered for a client that disconnected before its turn", async () => {
    const first = ask("/slow/3", from("192.0.2.3"));
    await expect.poll(() => pages.unfinished.has("/slow/3")).toBe(true);
    const leaving = connect(port(), "127.0.0.1");
    leaving.write("GET /left HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.3\r\n\r\n");
    await expect.poll(() => pages.asked.has("/left")).toBe(true);
    leaving.destroy();
    await expect.poll(() => pages.asked.get("/left")?.closed).toBe(true);
    pages.unfinished.get("/slow/3")?.end("done");
    await first;
    await (await ask("/after", from("192.0.2.3"))).text();
    expect(pages.timesRendered("/left")).toBe(0);
  });

  test("returns 503 when too many requests wait, while build files are still served", async () => {
    const asked = Array.from({ length: 202 }, (_, index) => {
      const gone = new AbortController();
      const answer = ask(`/slow/many/${index}`, { ...from("192.0.2.4"), signal: gone.signal });
      return {
        gone,
        status: answer.then(
          ({ status }) => status,
          () => 0,
        ),
      };
    });
    expect(await Promise.race(asked.map(({ status }) => status))).toBe(503);
    expect((await ask("/file.js", from("192.0.2.4"))).status).toBe(200);
    for (const { gone } of asked) gone.abort();
    await Promise.all(asked.map(({ status }) => status));
  });
});

describe("a file of the build", () => {
  const askWith = async (path: string, headers: Record<string, string>) => {
    const answer = await ask(path, { headers });
    return { text: await answer.text(), headers: answer.headers };
  };

  test("is answered with its compressed copy, as a script, if the request accepts brotli", async () => {
    const { text, headers } = await askWith("/file.js", { "accept-encoding": "gzip, br;q=0.5" });
    expect(text).toMatch(/^\/file\.js\.br /);
    expect(headers.get("content-encoding")).toBe("br");
    expect(headers.get("content-type")).toBe("application/javascript; charset=UTF-8");
    expect(headers.get("vary")).toMatch(/accept-encoding/i);
  });

  test.each([
    ["does not accept brotli", "/file.js", { "accept-encoding": "gzip" }],
    ["refuses brotli", "/file.js", { "accept-encoding": "br;q=0, gzip" }],
    ["is for a range", "/file.js", { "accept-encoding": "br", range: "bytes=0-1" }],
    ["is for a file without a copy", "/late.js", { "accept-encoding": "br" }],
    ["is for a picture", "/picture.png", { "accept-encoding": "br" }],
  ])("is answered as it is if the request %s", async (_case, path, headers) => {
    expect((await askWith(path, headers)).text).toMatch(new RegExp(`^${path} `));
  });
});
