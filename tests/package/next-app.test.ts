import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { routes } from "../../app/api/routes.ts";
import { readNextApp } from "../../lib/http/next-app.ts";
import { log } from "../../lib/log.ts";

const manifests = [
  "app-path-routes-manifest.json",
  "routes-manifest.json",
  "server/functions-config-manifest.json",
  "server/middleware-manifest.json",
] as const;

let folder: string;
beforeAll(() => {
  log("silent");
});
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hivegate-next-app-"));
  for (const file of manifests) await cp(join(".next", file), join(folder, ".next", file));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Reads the build again with one of its manifests changed. */
async function readWith(file: (typeof manifests)[number], change: (manifest: never) => object) {
  const path = join(folder, ".next", file);
  const text = await readFile(path, "utf8");
  await writeFile(path, JSON.stringify(change(JSON.parse(text) as never)));
  try {
    return readNextApp(folder);
  } finally {
    await writeFile(path, text);
  }
}

describe("the reader of this app's build", () => {
  test("lists pages and routes, and finds no changed path of the gateway", () => {
    const { entries, changes } = readNextApp(process.cwd());
    expect(entries["/chat"]).toBe("/(demo)/chat/page");
    for (const template of Object.keys(routes)) {
      expect(entries[template], template).toMatch(/\/route$/);
      expect(changes(template.replace(/\[\w+\]/g, "x")), template).toBe(false);
    }
    expect(changes("/chat")).toBe(true);
  });

  test("reports paths added to middleware", async () => {
    type Manifest = { functions: { "/_middleware": { matchers: Array<{ regexp: string }> } } };
    const { changes } = await readWith("server/functions-config-manifest.json", (manifest: Manifest) => {
      manifest.functions["/_middleware"].matchers.push({ regexp: "^/api/metrics$" });
      return manifest;
    });
    expect([changes("/api/metrics"), changes("/api/chat/me")]).toEqual([true, false]);
  });

  test.each(["redirects", "headers"])("reports paths that the configuration's %s name", async (name) => {
    const { changes } = await readWith("routes-manifest.json", (manifest: Record<string, object[]>) => ({
      ...manifest,
      [name]: [...(manifest[name] ?? []), { source: "/api/x402/:path*", regex: "^/api/x402(?:/.*)?$" }],
    }));
    expect([changes("/api/x402/verify"), changes("/api/chat/me")]).toEqual([true, false]);
  });

  test("reports every path if the build is unreadable, so that Next answers all of them", async () => {
    const { entries, changes } = await readWith("routes-manifest.json", () => ({ version: 99 }));
    expect([entries, changes("/api/chat/me")]).toEqual([{}, true]);
  });
});
