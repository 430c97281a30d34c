import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type RunningServer, startCommand } from "../harness/start-command.ts";

const EX_CONFIG = 78;

let folder: string;
let running: RunningServer | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "env-file-"));
});
afterEach(async () => {
  running?.child.kill("SIGTERM");
  await running?.exited;
  running = undefined;
  await rm(folder, { recursive: true, force: true });
});

const write = (lines: readonly string[]) => writeFileSync(join(folder, ".env"), `${lines.join("\n")}\n`);

/** Runs a built command in the folder until it serves or exits. */
async function run(command: string, settings: Record<string, string> = {}) {
  const started = await startCommand(process.execPath, [resolve("dist", command)], {
    settings: { NODE_ENV: "production", DATA_DIR: folder, ...settings },
    cwd: folder,
  });
  if (!("code" in started)) running = started;
  return "code" in started ? started : { output: started.output(), code: null };
}

describe("a command started next to a .env", () => {
  test("reads its settings from the file and says so, with the environment taking precedence", async () => {
    write(["# the chain", "PORT=1", "HOST=127.0.0.1", 'HIVE_NODES="http://127.0.0.1:1"', "REDIS_URL="]);
    const { output, code } = await run("facilitator.js", { PORT: "0" });
    expect({ output, code }).toMatchObject({ code: null });
    expect(output).toContain("Settings from .env: HOST, HIVE_NODES\n");
    expect(new URL(running?.url ?? "").port).not.toBe("1");
  });

  test("reports that it read a file without values, and where to set missing settings", async () => {
    copyFileSync(".env.example", join(folder, ".env"));
    const { output, code } = await run("doctor.js");
    expect(code).toBe(EX_CONFIG);
    expect(output).toContain("Settings from .env: ");
    expect(output).toContain("  CHAT_BASE_URL: is missing");
    expect(output).toContain("Set them in .env or in the environment");
    expect(output).toContain("npm start -- --sandbox");
    write(["# nothing"]);
    expect((await run("doctor.js")).output).toContain(
      "Settings from .env: none, as no line there has a value of its own\n",
    );
  });

  test("reports the file's faults in doctor, server and facilitator", async () => {
    write(["CHAT_BASE_URL=nonsense", "HIVE_NODES=nonsense"]);
    for (const [command, setting] of [
      ["doctor.js", "CHAT_BASE_URL"],
      ["server.js", "CHAT_BASE_URL"],
      ["facilitator.js", "HIVE_NODES"],
    ] as const) {
      const { output, code } = await run(command);
      expect({ output, code }).toEqual({
        output: expect.stringContaining(`  ${setting}: `),
        code: EX_CONFIG,
      });
      expect(output).not.toContain(`${setting}: is missing`);
    }
  });

  test("suggests the setting for a mistyped name in the file or the environment", async () => {
    write(["HIVE_NODE=http://127.0.0.1:1", "HIVE_CHAIN=sandbox", "PROT=1", "host=::1", "PORT=nonsense"]);
    const { output } = await run("facilitator.js", { REDIS_URI: "redis://127.0.0.1:1", HOSTS: "others" });
    expect(output).toContain("HIVE_CHAIN is no setting: is HIVE_CHAIN_ID meant?");
    expect(output).toContain("PROT is no setting: is PORT meant?");
    expect(output).toContain("host is no setting: is HOST meant?");
    expect(output).not.toContain("HOSTS is no setting");
    expect(output).toContain("PORT: must be a port: a whole number from 0 to 65535");
    expect(output).not.toContain("--sandbox");
    expect(output).toContain("HIVE_NODE is no setting: is HIVE_NODES meant?");
    expect(output).toContain("REDIS_URI is no setting: is REDIS_URL meant?");
  });

  test("reads the file that ENV_FILE names instead, which must exist", async () => {
    write(["LOG_LEVEL=nonsense"]);
    const file = join(folder, "handed-over.env");
    const settings = { ENV_FILE: file, PORT: "0" };
    expect(await run("facilitator.js", settings)).toEqual({
      output: expect.stringContaining(`${file}: can't be read (ENOENT)`),
      code: EX_CONFIG,
    });
    writeFileSync(file, "HOST=127.0.0.1\nHIVE_NODES=http://127.0.0.1:1\n");
    const { output, code } = await run("facilitator.js", settings);
    expect({ output, code }).toMatchObject({ code: null });
    expect(output).toContain(`Settings from ${file}: HOST, HIVE_NODES\n`);
  });

  test("exits with an explanation if the file can't be read", async () => {
    mkdirSync(join(folder, ".env"));
    const { output, code } = await run("facilitator.js");
    expect({ output, code }).toEqual({
      output: expect.stringContaining(".env: can't be read"),
      code: EX_CONFIG,
    });
    expect(output).not.toContain("    at ");
  });
});
