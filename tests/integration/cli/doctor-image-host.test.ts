import { afterAll, beforeAll, expect, test } from "vitest";
import { examineImageHost } from "../../../lib/cli/examine-image-host.ts";
import { loadConfig } from "../../../lib/config.ts";
import { sandboxAccounts } from "../../../sandbox/accounts.ts";
import { freePort } from "../../harness/free-port.ts";
import { startImageHost } from "../../harness/start-image-host.ts";
import { type SandboxChain, startSandboxChain } from "../../harness/start-sandbox-chain.ts";

let chain: SandboxChain;
let host: Awaited<ReturnType<typeof startImageHost>>;
beforeAll(async () => {
  chain = await startSandboxChain();
  host = await startImageHost({});
});
afterAll(async () => {
  await chain.close();
  await host.close();
});

const keysOf = (name: string) => sandboxAccounts.find((account) => account.name === name)?.keys;
const posting = keysOf("shop")?.posting.privateKey ?? "";
const active = keysOf("shop")?.active.privateKey ?? "";

async function examine(settings: Record<string, string>) {
  const config = loadConfig({
    CHAT_BASE_URL: "https://chat.example/api/v4/",
    CHAT_ADMIN_TOKEN: "a".repeat(26),
    CHAT_TEAM_ID: "t".repeat(26),
    SESSION_SECRET: "s".repeat(32),
    HIVE_NODES: chain.url,
    HIVE_CHAIN_ID: chain.chainId,
    ...settings,
  });
  const findings = await examineImageHost(config);
  expect(JSON.stringify(findings)).not.toContain(settings.IMAGE_UPLOAD_KEY ?? "none");
  return findings.map(({ isFine, detail }) => [isFine, detail]);
}

test("the doctor omits the image host if there is none", async () => {
  expect(await examine({})).toEqual([]);
});

test("the doctor checks that the image host answers and that the key belongs to the account", async () => {
  const at = (account: string, key: string) =>
    examine({ IMAGE_UPLOAD_URL: host.url, IMAGE_UPLOAD_ACCOUNT: account, IMAGE_UPLOAD_KEY: key });
  expect(await at("shop", posting)).toEqual([
    [true, "answers"],
    [true, "is its posting key"],
  ]);
  expect((await at("shop", active))[1]).toEqual([false, "is not its posting key"]);
  expect((await at("nobody-here", posting))[1]).toEqual([false, "has no account on the chain"]);
  const broken = posting.slice(0, -1) + (posting.endsWith("1") ? "2" : "1");
  expect((await at("shop", broken))[1]).toEqual([false, "is not a private key: its checksum is wrong"]);
  expect(await examine({ IMAGE_UPLOAD_URL: `http://127.0.0.1:${await freePort()}` })).toEqual([
    [false, "does not answer"],
  ]);
});
