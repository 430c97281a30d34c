import type { Locator, Page } from "playwright/test";
import { strings as chat } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as pay } from "../../app/(demo)/_pay/strings.en.ts";
import { strings as transfer } from "../../app/(demo)/_pay/transfer-strings.en.ts";
import { strings as session } from "../../app/(demo)/_session/strings.en.ts";
import { strings as wallet } from "../../app/(demo)/_session/wallet-strings.en.ts";
import { strings as articles } from "../../app/(demo)/articles/strings.en.ts";
import { readMils } from "../../lib/mils.ts";
import { walletNames } from "../../lib/wallet-links/index.ts";
import { sendTransfer } from "../harness/send-transfer.ts";
import { answerByHiveAuth } from "../harness/start-hiveauth-relay.ts";
import { followLink } from "../harness/transfer-wallet.ts";
import { readSandbox } from "./support/api-person.ts";
import { askWallet } from "./support/ask-wallet.ts";
import { confirmInEcency } from "./support/confirm-in-ecency.ts";
import { openChain } from "./support/open-chain.ts";
import { openPhone } from "./support/open-phone.ts";
import { payByHiveAuth } from "./support/pay-by-hiveauth.ts";
import { readLink, signQuestion } from "./support/phone-wallet.ts";
import { stageHivesigner } from "./support/stage-hivesigner.ts";
import { startServerForWallets } from "./support/start-server-for-wallets.ts";
import { expect, test } from "./support/test.ts";
import {
  askForTransfer,
  askHiveAuth,
  copyTransfer,
  hiveAuthLinkIn,
  linkIn,
} from "./support/transfer-panel.ts";

const FIRST = "Three seconds and no fee";
const SECOND = "The answer nobody used";
/** Time for a few blocks, each of which takes three seconds. */
const SETTLED = { timeout: 90_000 };

test.describe.configure({ timeout: 180_000 });

let server: Awaited<ReturnType<typeof startServerForWallets>>;
test.beforeAll(async () => {
  server = await startServerForWallets();
});
test.afterAll(() => server.close());

type Journey = {
  /** Signs the owner in on the landing page. */
  signIn(page: Page, owner: string): Promise<void>;
  /** Sends what the panel asks for from the owner's account. */
  send(panel: Locator, owner: string): Promise<void>;
};

const hrefOf = async (page: Page, name: string) =>
  (await page.getByRole("link", { name, exact: true }).getAttribute("href")) ?? "";

/** Opens the address that a wallet opens once it has signed, and comes back to the page that waits. */
async function visit(page: Page, address: string): Promise<void> {
  const visited = await page.context().newPage();
  await visited.goto(address);
  await visited.close();
}

/** Sends the transfer of a wallet's link, and opens the address that the wallet opens then. */
const sendBy = (name: string) => async (panel: Locator, owner: string) => {
  const page = panel.page();
  const { returnTo } = await followLink(await openChain(server.url), await linkIn(panel, name), owner);
  if (returnTo) await page.goto(returnTo);
};

const keychain: Journey = {
  async signIn(page, owner) {
    await askWallet(page, owner, session.phone.button);
    await visit(page, signQuestion(readLink(await hrefOf(page, wallet.phone.openButton))));
  },
  send: sendBy(walletNames.keychain),
};

const hiveauth: Journey = {
  async signIn(page, owner) {
    await askWallet(page, owner, session.hiveauth.button);
    await answerByHiveAuth(await hrefOf(page, wallet.hiveauth.openButton));
  },
  async send(panel, owner) {
    await expect(panel.getByLabel(transfer.hiveauth.account)).toHaveValue(owner);
    await askHiveAuth(panel);
    await payByHiveAuth(server.url, await hiveAuthLinkIn(panel));
  },
};

const hivesigner: Journey = {
  async signIn(page, owner) {
    await stageHivesigner(page.context());
    await askWallet(page, owner, session.hivesigner.button);
    const opened = page.waitForEvent("popup");
    await page.getByRole("link", { name: wallet.hivesigner.openButton }).click();
    const tab = await opened;
    await expect(tab.getByRole("heading", { name: `Signed in as @${owner}` })).toBeVisible();
    await tab.close();
  },
  send: sendBy(walletNames.hivesigner),
};

const ecency: Journey = {
  async signIn(page, owner) {
    await askWallet(page, owner, session.ecency.button);
    await visit(page, confirmInEcency(await hrefOf(page, wallet.ecency.openButton)));
  },
  send: sendBy(walletNames.ecency),
};

const copyAndPaste: Journey = {
  async signIn(page, owner) {
    const { accounts } = await readSandbox(server.url);
    const key = accounts.find(({ name }) => name === owner)?.keys.posting ?? "";
    await page.goto("/");
    await page.getByRole("textbox", { name: session.username }).fill(owner);
    await page.getByText(session.key.summary).click();
    await page.getByLabel(session.key.label).fill(key);
    await page.getByRole("button", { name: session.key.button }).click();
  },
  async send(panel, owner) {
    const { to, amount, memo } = await copyTransfer(panel);
    await sendTransfer(await openChain(server.url), { from: owner, to, mils: readMils(amount), memo });
  },
};

// Each journey has its own account or article, because a purchase can't be undone.
for (const [name, owner, title, { signIn, send }] of [
  ["Keychain on the same phone", "alice", FIRST, keychain],
  ["a wallet of HiveAuth", "bob", FIRST, hiveauth],
  ["HiveSigner", "carol", FIRST, hivesigner],
  ["Ecency", "alice", SECOND, ecency],
  ["a typed key and a transfer by copy and paste", "erin", FIRST, copyAndPaste],
] as const)
  test(`${name}: a phone signs in on the landing page, and buys an article`, async ({ browser }, info) => {
    const { context, page } = await openPhone(browser, server.url);
    const start = performance.now();
    await signIn(page, owner);
    const menu = page.getByRole("button", { name: chat.account.menu(owner) });
    await expect(menu).toBeVisible();
    const signedIn = performance.now();
    await menu.click();
    await page.getByRole("menuitem", { name: chat.account.articles }).click();
    await page.getByRole("link", { name: title, exact: true }).click();
    const asked = await askForTransfer(page);
    await send(asked, owner);
    await expect(page.getByRole("region", { name: pay.receipt.title })).toContainText(`@${owner}`, SETTLED);
    await expect(page.getByText(articles.locked)).toBeHidden();
    const bought = performance.now();
    const seconds = (from: number, to: number) => ((to - from) / 1000).toFixed(1);
    info.annotations.push({
      type: "seconds",
      description: `${seconds(start, signedIn)} to sign in, ${seconds(signedIn, bought)} to buy`,
    });
    await context.close();
  });
