import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../harness/free-port.ts";
import { type RunningServer, startServer } from "../harness/start-server.ts";

const isBuilt = existsSync(".next/BUILD_ID") && existsSync("dist/server.js");
const KIB = 1024;
/** A method of dhive's keys. Its name survives minification, and our code does not use it. */
const DHIVE = "fromLogin";

/** Returns the scripts that a page's HTML names, which the browser loads before any click. */
async function scriptsOf(url: string, path: string): Promise<Map<string, string>> {
  const html = await (await fetch(`${url}${path}`)).text();
  const tags = html.match(/<(?:script|link)\b[^>]*>/g) ?? [];
  const names = tags
    .filter((tag) => !/nomodule/i.test(tag))
    .flatMap((tag) => /(?:src|href)="(\/_next\/static\/[^"?]+\.js)[^"]*"/.exec(tag)?.[1] ?? []);
  // The data that the page streams to its client names chunks of client components too.
  const streamed = [...html.matchAll(/static\/chunks\/[\w~.-]+\.js/g)].map(([name]) => `/_next/${name}`);
  const isLegacy = (name: string) => tags.some((tag) => tag.includes(name) && /nomodule/i.test(tag));
  const wanted = [...new Set([...names, ...streamed])].filter((name) => !isLegacy(name));
  const texts = await Promise.all(
    wanted.map((name) => readFile(name.replace("/_next/", ".next/").replaceAll("%7E", "~"), "utf8")),
  );
  return new Map(wanted.map((name, index) => [name, texts[index] ?? ""]));
}

function gzippedSize(scripts: Map<string, string>): number {
  return [...scripts.values()].reduce((sum, text) => sum + gzipSync(text).length, 0);
}

describe.skipIf(!isBuilt)("the first load of the built pages", () => {
  let server: RunningServer;
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "hivegate-first-load-"));
    const started = await startServer(["--sandbox"], {
      DATA_DIR: dataDir,
      PORT: String(await freePort()),
      LOG_LEVEL: "error",
    });
    if (!("url" in started)) throw new Error(started.output);
    server = started;
  });
  afterAll(async () => {
    server.child.kill("SIGTERM");
    await server.exited;
    await rm(dataDir, { recursive: true, force: true });
  });

  test.each([
    ["/", 159],
    ["/chat", 199],
  ])("of %s needs at most %i KB of gzipped JavaScript", async (path, limit) => {
    const scripts = await scriptsOf(server.url, path);
    expect(scripts.size).toBeGreaterThan(3);
    expect(gzippedSize(scripts) / KIB).toBeLessThanOrEqual(limit);
  });

  test("of a channel needs at most ten scripts, 285 KB in all", async () => {
    const scripts = await scriptsOf(server.url, `/chat/${"c".repeat(26)}`);
    expect(scripts.size).toBeLessThanOrEqual(10);
    expect(gzippedSize(scripts) / KIB).toBeLessThanOrEqual(285);
  });

  test("includes no dhive, nor does any chunk loaded later", async () => {
    const folder = ".next/static/chunks";
    const chunks = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".js"));
    expect(chunks.length).toBeGreaterThan(20);
    const texts = await Promise.all(chunks.map((name) => readFile(join(folder, name), "utf8")));
    expect(chunks.filter((_, index) => texts[index]?.includes(DHIVE))).toEqual([]);
    // If dhive dropped the name, this search would prove nothing.
    expect(await readFile("node_modules/@hiveio/dhive/lib/crypto.js", "utf8")).toContain(DHIVE);
  });
});
