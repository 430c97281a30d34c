import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { strings as pay } from "../../app/(demo)/_pay/strings.en.ts";
import { strings as session } from "../../app/(demo)/_session/strings.en.ts";
import { strings as wallet } from "../../app/(demo)/_session/wallet-strings.en.ts";
import { sandboxAccounts } from "../../sandbox/accounts.ts";
import { freePort } from "../harness/free-port.ts";
import { startMattermostProcess } from "../harness/start-mattermost-process.ts";
import { type SandboxChain, startSandboxChain } from "../harness/start-sandbox-chain.ts";
import { startServer } from "../harness/start-server.ts";
import { expectNothingSeriousInBothThemes } from "./support/expect-nothing-serious.ts";
import { askToSignIn, installWallet } from "./support/install-wallet.ts";
import { payByKeychain } from "./support/pay-as.ts";
import { expect, test } from "./support/test.ts";

const PRICE = "0.050 HBD";
const ARTICLE = "/articles/three-seconds-and-no-fee";
const CHAIN_ID = "5e".repeat(32);
/** The chain's name in offers. */
const NETWORK = `hive:${"5e".repeat(16)}`;
/** Time for a few blocks, each of which takes three seconds. */
const SETTLED = { timeout: 90_000 };

const keysOf = (holder: string) =>
  Object.fromEntries(
    sandboxAccounts
      .filter(({ name }) => name === holder)
      .flatMap(({ keys }) => Object.entries(keys).map(([role, { privateKey }]) => [role, privateKey])),
  );

let chain: SandboxChain;
let address: string;
let close = async () => {};

// Starts a gateway outside the sandbox, on a chain that is neither Hive's main chain nor the sandbox's, such
// as a public testnet.
test.beforeAll(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "hivegate-e2e-"));
  const mattermost = await startMattermostProcess(join(dataDir, "mattermost"));
  chain = await startSandboxChain({ chainId: CHAIN_ID, blockIntervalMs: 1000 });
  const port = await freePort();
  const started = await startServer([], {
    DATA_DIR: dataDir,
    PORT: String(port),
    PUBLIC_URL: `http://localhost:${port}`,
    RATE_LIMITS: "off",
    LOG_LEVEL: "error",
    SESSION_SECRET: "s".repeat(32),
    CHAT_BASE_URL: mattermost.url,
    CHAT_ADMIN_TOKEN: mattermost.adminToken,
    CHAT_TEAM_ID: mattermost.teamId,
    HIVE_NODES: chain.url,
    HIVE_CHAIN_ID: CHAIN_ID,
    PAYWALL_ACCOUNT: "shop",
  });
  if (!("url" in started)) throw new Error(started.output);
  address = `http://localhost:${port}`;
  close = async () => {
    started.child.kill("SIGKILL");
    await started.exited;
    await Promise.all([mattermost.kill(), chain.close()]);
    await rm(dataDir, { recursive: true, force: true });
  };
});
test.afterAll(() => close());

test("on a chain other than Hive's, the home page shows the chain's settings, which can be copied", async ({
  page,
}) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(address);
  await page.getByText(wallet.chain.summary).click();
  await expect(page.getByText(wallet.chain.account)).toBeVisible();
  await expect(page.getByText(wallet.chain.ofSandbox.account)).toHaveCount(0);
  for (const [name, text] of [
    [wallet.chain.copyNetwork, NETWORK],
    [wallet.chain.copyNode, chain.url],
    [wallet.chain.copyChainId, CHAIN_ID],
  ] as const) {
    await expect(page.getByText(text, { exact: true })).toBeVisible();
    await page.getByRole("button", { name }).click();
    await expect(page.getByRole("status").filter({ hasText: wallet.chain.copied })).toHaveCount(1);
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(text);
    await expect(page.getByRole("status").filter({ hasText: wallet.chain.copied })).toHaveCount(0);
  }
});

test("a key that the chain does not know gets an error that names the chain", async ({ page }) => {
  await installWallet(page, address, { holds: { accounts: [{ name: "bob", keys: keysOf("alice") }] } });
  await askToSignIn(page, address);
  const notice = page.getByRole("alert").filter({ hasText: session.failures.unauthorized.title });
  await expect(notice).toContainText(wallet.otherChain(NETWORK));
  await expect(page.getByText(CHAIN_ID, { exact: true })).toBeVisible();
});

test("a user whose wallet is set to Hive's main chain sees which chain to set", async ({ page }) => {
  const holds = { accounts: [{ name: "bob", keys: keysOf("bob") }] };
  await installWallet(page, address, { holds, onMainnet: true });
  await payByKeychain(page, `${address}${ARTICLE}`, PRICE);
  await expect(page.getByText(pay.failures.wrong_chain.text)).toBeVisible(SETTLED);
  for (const text of [NETWORK, chain.url, CHAIN_ID])
    await expect(page.getByText(text, { exact: true })).toBeVisible();
  await expectNothingSeriousInBothThemes(page, "a payment for another chain than a testnet");
});

test("a wallet set to the server's chain pays", async ({ page }) => {
  const accounts = [{ name: "bob", keys: keysOf("bob") }];
  await installWallet(page, address, { holds: { accounts, chain: { url: chain.url, chainId: CHAIN_ID } } });
  await payByKeychain(page, `${address}${ARTICLE}`, PRICE);
  await expect(page.getByRole("region", { name: pay.receipt.title })).toContainText("@bob", SETTLED);
});
