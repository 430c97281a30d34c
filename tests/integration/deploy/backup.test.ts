import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Secret } from "../../../lib/secret.ts";
import { openStore } from "../../../lib/store/open-store.ts";
import { freePort } from "../../harness/free-port.ts";
import { readBlocks } from "../../harness/read-blocks.ts";
import { startRedis } from "../../harness/start-redis.ts";

const blocks = readBlocks("docs/operations.md").filter(({ language }) => language === "sh");
const blockWith = (text: string) => {
  const found = blocks.filter((block) => block.text.includes(text) && !block.text.includes("docker"));
  expect(found).toHaveLength(1);
  return found[0]?.text ?? "";
};

let folder: string;
const inFolder = (path: string) => join(folder, path);
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "backup-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Runs a block as printed, from the operator's folder. */
function run(text: string, path = process.env.PATH): string {
  const { status, stdout, stderr } = spawnSync("bash", ["-euo", "pipefail", "-c", text], {
    cwd: folder,
    env: { PATH: path, NODE_ENV: "production" },
    encoding: "utf8",
  });
  expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
}

/** Returns a PATH whose `redis-cli` calls the server at this port instead of the machine's. */
function asking(port: number): string {
  const real = spawnSync("which", ["redis-cli"], { encoding: "utf8" }).stdout.trim();
  mkdirSync(inFolder("bin"), { recursive: true });
  writeFileSync(inFolder("bin/redis-cli"), `#!/bin/sh\nexec ${real} -p ${port} "$@"\n`);
  chmodSync(inFolder("bin/redis-cli"), 0o755);
  return `${inFolder("bin")}:${process.env.PATH}`;
}

describe("docs/operations.md", () => {
  test("has a backup that completely copies an open SQLite store into a file for its owner only", async () => {
    symlinkSync(resolve("node_modules"), inFolder("node_modules"));
    const store = await openStore({ kind: "sqlite", dataDir: inFolder(".data") });
    await store.set("before", "the backup", 3600);
    expect(statSync(inFolder(".data/hivegate.sqlite-wal")).size).toBeGreaterThan(0);
    run(blockWith("VACUUM INTO"));
    await store.set("after", "the backup", 3600);
    await store.close();
    expect(statSync(inFolder("backup")).mode & 0o777).toBe(0o700);
    expect(statSync(inFolder("backup/hivegate.sqlite")).mode & 0o777).toBe(0o600);

    mkdirSync(inFolder("restored"));
    cpSync(inFolder("backup/hivegate.sqlite"), inFolder("restored/hivegate.sqlite"));
    const restored = await openStore({ kind: "sqlite", dataDir: inFolder("restored") });
    expect([await restored.get("before"), await restored.get("after")]).toEqual(["the backup", null]);
    await restored.close();
  });

  test("has a Redis backup that can be restored into a server with an append-only file", async () => {
    const first = await startRedis({ dataDir: folder });
    const store = await openStore({ kind: "redis", url: new Secret(first.url) });
    await store.set("kept", "the backup", 3600);
    run(blockWith("--rdb"), asking(first.port));
    await store.close();
    await first.close();

    const dataDir = inFolder("restored");
    mkdirSync(dataDir);
    cpSync(inFolder("backup/store.rdb"), join(dataDir, "dump.rdb"));
    const port = await freePort();
    const server = spawn("redis-server", ["--port", String(port), "--dir", dataDir, "--appendonly", "no"]);
    const ended = once(server, "exit");
    const path = asking(port);
    run("until redis-cli ping 2>/dev/null | grep -qx PONG; do sleep 0.1; done", path);
    run(blockWith("config set appendonly yes"), path);
    await ended;

    const second = await startRedis({ dataDir });
    const restored = await openStore({ kind: "redis", url: new Secret(second.url) });
    expect(await restored.get("kept")).toBe("the backup");
    await restored.close();
    await second.close();
  });

  test.each(blocks.map(({ line, text }) => [line, text] as const))(
    "has a valid script at line %i",
    (_, text) => {
      expect(spawnSync("bash", ["-n", "-c", text], { encoding: "utf8" })).toMatchObject({
        status: 0,
        stderr: "",
      });
    },
  );
});
