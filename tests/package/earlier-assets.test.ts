import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningServer, startCommand } from "../harness/start-command.ts";

const name = `earlier-${process.pid}.js`;
const file = join(".next/static/chunks", name);
let dataDir: string;
let server: RunningServer;
beforeAll(async () => {
  // Copies the previous release's files as the recipe in operations.md does.
  writeFileSync(file, "export {};\n");
  dataDir = mkdtempSync(join(tmpdir(), "earlier-"));
  const settings = { PORT: "0", DATA_DIR: dataDir, NODE_ENV: "production", SANDBOX_CHAIN_PORT: "0" };
  const started = await startCommand(process.execPath, ["dist/server.js", "--sandbox"], { settings });
  if ("code" in started) throw new Error(`ended with ${started.code}:\n${started.output}`);
  server = started;
});
afterAll(async () => {
  server?.child.kill("SIGTERM");
  await server?.exited;
  rmSync(file, { force: true });
  rmSync(dataDir, { recursive: true, force: true });
});

test("an earlier release's files in .next/static are served as cacheable", async () => {
  const answer = await fetch(`${server.url}/_next/static/chunks/${name}`);
  expect([answer.status, await answer.text()]).toEqual([200, "export {};\n"]);
  expect(answer.headers.get("cache-control")).toMatch(/immutable/);
});
