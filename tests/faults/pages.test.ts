import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../harness/free-port.ts";
import { type RunningServer, startServer } from "../harness/start-server.ts";

let server: RunningServer;
let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "hivegate-pages-"));
  const settings = { DATA_DIR: dataDir, PORT: String(await freePort()), LOG_LEVEL: "error" };
  const started = await startServer(["--sandbox"], settings);
  if (!("url" in started)) throw new Error(started.output);
  server = started;
});
afterAll(async () => {
  server.child.kill("SIGTERM");
  await server.exited;
  await rm(dataDir, { recursive: true, force: true });
});

const ask = (path: string, init: RequestInit = {}) => fetch(server.url + path, init);

describe("the pages of the built server", () => {
  test.each(["/reference", "/docs", "/docs/operations"])(
    "%s is byte-identical on each request in one language, and its scripts carry its policy's nonce",
    async (path) => {
      const answers = await Promise.all([ask(path), ask(path), ask(`${path}?x=1`)]);
      const texts = await Promise.all(answers.map((answer) => answer.text()));
      expect(new Set(texts).size).toBe(1);
      const policy = answers[0]?.headers.get("content-security-policy") ?? "";
      const nonce = /'nonce-([^']+)'/.exec(policy)?.[1];
      const nonces = [...(texts[0] ?? "").matchAll(/<script[^>]* nonce="([^"]*)"/g)].map(([, one]) => one);
      expect(new Set(nonces)).toEqual(new Set([nonce]));
      expect(policy).toContain(`ws://${new URL(server.url).host}`);
      expect(answers[0]?.headers.get("x-frame-options")).toBe("DENY");
    },
  );

  test("a file is served in ranges, as media players request, and whole for an impossible range", async () => {
    const part = await ask("/sw.js", { headers: { range: "bytes=2-5" } });
    const whole = await (await ask("/sw.js")).text();
    expect([part.status, await part.text()]).toEqual([206, whole.slice(2, 6)]);
    const beyond = await ask("/sw.js", { headers: { range: "bytes=9999999-" } });
    expect([beyond.status, await beyond.text()]).toEqual([200, whole]);
  });

  test("the reference is Spanish for Spanish readers", async () => {
    const english = await (await ask("/reference")).text();
    const spanish = await (await ask("/reference", { headers: { "accept-language": "es-MX" } })).text();
    expect(english).toContain('<html lang="en"');
    expect(spanish).toContain('<html lang="es"');
  });

  test.each([
    "/x.html",
    "/x.json",
    "/emoji/",
    "/emoji/none.json",
    "/_next/",
    "/_next/static/none.js",
    "/.well-known/none",
    "/none",
  ])("%s returns 404 with headers that block other sites' code and frames", async (path) => {
    const { status, headers } = await ask(path);
    expect(status).toBe(404);
    expect(headers.get("content-security-policy")).toContain("default-src");
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });
});
