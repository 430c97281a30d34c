import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundleOf } from "../../harness/bundled-processes.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "help-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const tsx = ["--import", import.meta.resolve("tsx")];
const commands: Array<[string, string[]]> = [
  ["npm run doctor", [bundleOf("lib/cli/doctor.ts")]],
  ["npm run seed", [bundleOf("lib/cli/seed.ts")]],
  ["npm run facilitator", [bundleOf("lib/cli/facilitator.ts")]],
  ["npm run refund", [bundleOf("lib/cli/refund.ts")]],
  ["npm run demo:pay", [...tsx, resolve("lib/cli/demo.ts"), "pay"]],
  ["npm run env", [...tsx, resolve("lib/cli/generate.ts"), "env"]],
  ["npm run quickstart", [resolve("lib/cli/quickstart.mjs")]],
  ["npm start", [...tsx, resolve("server.ts")]],
  ["npx hivegate init", [...tsx, resolve("lib/command/hivegate.ts"), "init"]],
  ["npx hivegate mcp-wallet", [...tsx, resolve("lib/command/hivegate.ts"), "mcp-wallet"]],
];

/** Runs a command in an empty folder without settings. */
const run = (args: readonly string[]) =>
  new Promise<{ status: unknown; stdout: string; stderr: string }>((done) => {
    const env = { PATH: process.env.PATH, NODE_ENV: "production" } as NodeJS.ProcessEnv;
    execFile(process.execPath, args, { cwd: folder, env }, (error, stdout, stderr) =>
      done({ status: error ? error.code : 0, stdout, stderr }),
    );
  });

describe.each(commands)("%s", (name, args) => {
  test.each(["--help", "-h"])(
    "prints only its usage for %s",
    async (option) => {
      const { status, stdout, stderr } = await run([...args, option]);
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      expect(stdout).toMatch(/^Usage: /);
      expect(stdout).toContain(name);
      expect(await readdir(folder)).toEqual([]);
    },
    60_000,
  );

  test("exits with status 2 and a hint for an unknown option", async () => {
    const { status, stdout, stderr } = await run([...args, "--no-such-option"]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain("--no-such-option");
    expect(stderr).toMatch(/--help|Usage: /);
    expect(await readdir(folder)).toEqual([]);
  });
});
