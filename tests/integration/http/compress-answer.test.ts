import { once } from "node:events";
import { type IncomingHttpHeaders, request } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { tableOf } from "../../harness/http-scope.ts";
import { openHttpServer } from "../../harness/open-http-server.ts";

const words = "A sentence that comes again and again. ".repeat(100);
const typed = (type: string, more: Record<string, string> = {}, body = words) =>
  new Response(body, { headers: { "content-type": type, "content-length": String(body.length), ...more } });

const endings = new EventTarget();
const streamed = (type: string) =>
  new Response(
    new ReadableStream({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode(words));
        await once(endings, "end");
        controller.close();
      },
    }),
    { headers: { "content-type": type } },
  );

const paths: Parameters<typeof tableOf>[1] = {
  "/api/long": { GET: () => typed("application/json") },
  "/api/short": { GET: () => typed("application/json", {}, '{"short":true}') },
  "/api/picture": { GET: () => typed("image/png") },
  "/api/drawing": { GET: () => typed("image/svg+xml") },
  "/api/problem": { GET: () => typed("application/problem+json") },
  "/api/varied": { GET: () => typed("application/json", { vary: "Origin" }) },
  "/api/tagged": { GET: () => typed("text/plain", { etag: '"tag"' }) },
  "/api/cookie": { GET: () => typed("application/json", { "set-cookie": "a=b" }) },
  "/api/untouched": { GET: () => typed("text/plain", { "cache-control": "no-transform" }) },
  "/api/done": { GET: () => typed("text/plain", { "content-encoding": "gzip" }) },
  "/api/part": {
    GET: () =>
      new Response(words, {
        status: 206,
        headers: { "content-type": "text/plain", "content-range": "bytes 0-9/20" },
      }),
  },
  "/api/unchanged": { GET: () => new Response(null, { status: 304, headers: { etag: '"tag"' } }) },
  "/api/events": { GET: () => streamed("text/event-stream") },
  "/api/lines": { GET: () => streamed("application/x-ndjson") },
  "/api/auth/refresh": { POST: () => typed("application/json") },
  "/api/chat/bootstrap": { POST: () => typed("application/json") },
};

const port = openHttpServer(
  (http) => tableOf(http, paths),
  ({ url = "" }, outgoing) => {
    outgoing.setHeader(
      "content-type",
      url.startsWith("/api/") ? "application/json" : "text/html; charset=utf-8",
    );
    outgoing.write(words);
    // Next also flushes after each part.
    (outgoing as unknown as { flush(): void }).flush();
    if (url.endsWith("/open")) endings.addEventListener("end", () => outgoing.end("the end"), { once: true });
    else outgoing.end("the end");
  },
);

type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer };

/** Avoids `fetch`, which would decompress. */
async function ask(path: string, accepted?: string, method = "GET"): Promise<Answer> {
  const sent = request({
    ...{ port: port(), path, method, agent: false },
    headers: accepted === undefined ? {} : { "accept-encoding": accepted },
  });
  sent.end();
  const [answer] = await once(sent, "response");
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  return { status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) };
}

describe("an answer", () => {
  it("is compressed in an encoding that its request accepts, brotli first", async () => {
    const brotli = await ask("/api/long", "gzip, deflate, br");
    expect(brotli.headers["content-encoding"]).toBe("br");
    expect(brotliDecompressSync(brotli.body).toString()).toBe(words);
    expect(brotli.body.length).toBeLessThan(words.length / 10);
    expect(brotli.headers["content-length"]).toBeUndefined();
    const gzip = await ask("/api/long", "gzip;q=1, br;q=0");
    expect(gzip.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(gzip.body).toString()).toBe(words);
  });

  it.each([undefined, "identity", "br;q=0, gzip;q=0", "zstd"])(
    "is sent uncompressed if Accept-Encoding is %s",
    async (accepted) => {
      const { headers, body } = await ask("/api/long", accepted);
      expect(headers["content-encoding"]).toBeUndefined();
      expect(headers["content-length"]).toBe(String(words.length));
      expect(body.toString()).toBe(words);
    },
  );

  it("adds Accept-Encoding to Vary, compressed or not", async () => {
    for (const accepted of ["br", "identity"]) {
      const { headers } = await ask("/api/varied", accepted);
      expect(headers.vary?.split(/, */)).toEqual(expect.arrayContaining(["Origin", "Accept-Encoding"]));
    }
  });

  it.each(["/api/drawing", "/api/problem", "/page", "/api/of-an-app"])(
    "of text at %s is compressed",
    async (path) => {
      expect((await ask(path, "br")).headers["content-encoding"]).toBe("br");
    },
  );

  it.each(["/api/short", "/api/picture", "/api/untouched", "/api/cookie"])(
    "stays uncompressed if it is short, a picture or no-transform, or sets a cookie: %s",
    async (path) => {
      const { status, headers } = await ask(path, "br, gzip");
      expect(status).toBe(200);
      expect(headers["content-encoding"]).toBeUndefined();
      expect(headers["content-length"]).toBeDefined();
    },
  );

  it.each(["/api/auth/refresh", "/api/chat/bootstrap"])(
    "with a token stays uncompressed: %s",
    async (path) => {
      const { headers, body } = await ask(path, "br, gzip", "POST");
      expect(headers["content-encoding"]).toBeUndefined();
      expect(body.toString()).toBe(words);
    },
  );

  it("that is already compressed is not compressed again", async () => {
    const { headers, body } = await ask("/api/done", "br, gzip");
    expect(headers["content-encoding"]).toBe("gzip");
    expect(body.toString()).toBe(words);
  });

  it("with part of a file stays uncompressed", async () => {
    const { status, headers, body } = await ask("/api/part", "br");
    expect([status, headers["content-encoding"]]).toEqual([206, undefined]);
    expect(body.toString()).toBe(words);
  });

  it("has a weak ETag if it can be compressed, whether it was compressed or not", async () => {
    for (const accepted of ["br", "identity"])
      expect((await ask("/api/tagged", accepted)).headers.etag).toBe('W/"tag"');
  });

  it("without a body is not compressed: HEAD, 304", async () => {
    const head = await ask("/api/long", "br", "HEAD");
    expect([head.status, head.headers["content-encoding"], head.body.length]).toEqual([200, undefined, 0]);
    const unchanged = await ask("/api/unchanged", "br");
    expect([unchanged.status, unchanged.headers["content-encoding"]]).toEqual([304, undefined]);
  });

  it.each(["/api/events", "/api/lines", "/open", "/api/of-an-app/open"])(
    "that is streamed arrives part by part: %s",
    async (path) => {
      const sent = request({ port: port(), path, agent: false, headers: { "accept-encoding": "br" } });
      sent.end();
      const [answer] = await once(sent, "response");
      // The next part is written only after this one has arrived.
      const [first] = await once(answer, "data");
      expect(first.length).toBeGreaterThan(0);
      endings.dispatchEvent(new Event("end"));
      await once(answer, "end");
    },
  );
});
