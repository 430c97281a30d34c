import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startServer } from "../harness/start-server.ts";

const isBuilt = existsSync(".next/BUILD_ID") && existsSync("dist/server.js");
const source = "https://code.example.org/hive/gate";

test.skipIf(!isBuilt)("pages outside the chat link to the source at SOURCE_URL", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "hivegate-source-"));
  const settings = { DATA_DIR: dataDir, PORT: "0", LOG_LEVEL: "error", SOURCE_URL: source };
  const server = await startServer(["--sandbox"], settings);
  if (!("url" in server)) throw new Error(server.output);
  try {
    for (const path of ["/", "/articles", "/payments", "/settings", "/reference", "/docs"]) {
      const page = await (await fetch(`${server.url}${path}`)).text();
      expect(page, path).toMatch(new RegExp(`<a href="${source}"[^>]*>Source</a>`));
    }
  } finally {
    server.child.kill("SIGTERM");
    await server.exited;
    await rm(dataDir, { recursive: true, force: true });
  }
});
