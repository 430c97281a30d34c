import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startMattermost } from "../../../sandbox/mattermost/start.ts";
import { freePort } from "../../harness/free-port.ts";
import { type SandboxChain, startSandboxChain } from "../../harness/start-sandbox-chain.ts";

let dataDir: string;
let chain: SandboxChain;
let backend: Awaited<ReturnType<typeof startMattermost>>;
let good: Record<string, string>;

async function runDoctor(settings: Record<string, string>): Promise<{ code: number; output: string }> {
  const child = spawn(process.execPath, ["--import", "tsx", "lib/cli/doctor.ts"], {
    env: { PATH: process.env.PATH, NODE_ENV: "production", ...settings },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  const [code] = await once(child, "close");
  return { code, output };
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "doctor-"));
  chain = await startSandboxChain();
  backend = await startMattermost({ port: 0, dataDir: join(dataDir, "chat") });
  good = {
    CHAT_BASE_URL: backend.url,
    CHAT_ADMIN_TOKEN: backend.adminToken,
    CHAT_TEAM_ID: backend.teamId,
    HIVE_NODES: chain.url,
    HIVE_CHAIN_ID: chain.chainId,
    SESSION_SECRET: "s".repeat(32),
    DATA_DIR: join(dataDir, "store"),
  };
});

afterAll(async () => {
  await backend.close();
  await chain.close();
  await rm(dataDir, { recursive: true, force: true });
});

describe("npm run doctor", () => {
  test("finds nothing on good settings and exits with 0", async () => {
    await chain.produceBlocks();
    const { code, output } = await runDoctor(good);
    expect([code, output.includes("FAULT")], output).toEqual([0, false]);
    for (const subject of [
      "settings",
      "chat backend",
      "CHAT_ADMIN_TOKEN",
      "CHAT_TEAM_ID",
      "chain node",
      "store",
    ])
      expect(output).toContain(`ok    ${subject}`);
  });

  test("without settings it names all that are missing and exits with 78", async () => {
    const { code, output } = await runDoctor({});
    expect(code).toBe(78);
    for (const name of ["CHAT_BASE_URL", "CHAT_ADMIN_TOKEN", "CHAT_TEAM_ID", "SESSION_SECRET"])
      expect(output).toContain(name);
  });

  test("says what to do about each fault, exits with 1, and never prints the token", async () => {
    const elsewhere = `http://127.0.0.1:${await freePort()}`;
    const faults: Array<[Record<string, string>, RegExp]> = [
      [{ CHAT_BASE_URL: `${elsewhere}/api/v4` }, /FAULT chat backend: .*\n +Start the Mattermost server/],
      [
        { CHAT_ADMIN_TOKEN: "x".repeat(26) },
        /FAULT CHAT_ADMIN_TOKEN: unauthorized\n +Make a personal access token/,
      ],
      [{ CHAT_TEAM_ID: "x".repeat(26) }, /FAULT CHAT_TEAM_ID: .*\n +Set CHAT_TEAM_ID/],
      [
        { HIVE_NODES: `${chain.url},${elsewhere}` },
        /FAULT chain node .*does not answer\n +Check the address/,
      ],
      [{ HIVE_CHAIN_ID: "ab".repeat(32) }, /FAULT chain node .*another chain\n +Correct HIVE_CHAIN_ID/],
      [{ DATA_DIR: "package.json/data" }, /FAULT store \(sqlite\).*\n +Make DATA_DIR/],
      [{ REDIS_URL: `redis://127.0.0.1:${await freePort()}` }, /FAULT store \(redis\).*\n +Start the Redis/],
    ];
    for (const [change, expected] of faults) {
      const { code, output } = await runDoctor({ ...good, ...change });
      expect(code, output).toBe(1);
      expect(output).toMatch(expected);
      expect(output).not.toContain(good.CHAT_ADMIN_TOKEN);
    }
  });

  test("notices a backend that gives no personal access tokens", async () => {
    const strict = await startMattermost({
      port: 0,
      dataDir: join(dataDir, "strict"),
      enableUserAccessTokens: false,
    });
    const { code, output } = await runDoctor({
      ...good,
      CHAT_BASE_URL: strict.url,
      CHAT_ADMIN_TOKEN: strict.adminToken,
      CHAT_TEAM_ID: strict.teamId,
    });
    await strict.close();
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/Turn on System Console|personal access token/),
    ]);
  });
});
