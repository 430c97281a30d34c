import type { Browser, Locator, Page } from "playwright/test";
import { strings as chat } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as pay } from "../../app/(demo)/_pay/strings.en.ts";
import { strings as transfer } from "../../app/(demo)/_pay/transfer-strings.en.ts";
import { readMils } from "../../lib/mils.ts";
import { walletNames } from "../../lib/wallet-links/index.ts";
import { scan } from "../harness/scan-code.ts";
import { sendTransfer } from "../harness/send-transfer.ts";
import { type AskedOperation, admitByHiveAuth } from "../harness/start-hiveauth-relay.ts";
import { followLink } from "../harness/transfer-wallet.ts";
import { composer, waitForChannel } from "./support/chat-page.ts";
import { createRoom } from "./support/create-room.ts";
import { expectNothingSeriousInBothThemes } from "./support/expect-nothing-serious.ts";
import { openChain } from "./support/open-chain.ts";
import { openPhone, phone } from "./support/open-phone.ts";
import { choosePayer } from "./support/pay-as.ts";
import { payByHiveAuth } from "./support/pay-by-hiveauth.ts";
import { startServerForWallets } from "./support/start-server-for-wallets.ts";
import { expect, test } from "./support/test.ts";
import {
  askForTransfer,
  askHiveAuth,
  hiveAuthLinkIn,
  linkIn,
  PRICE,
  transferPanel,
} from "./support/transfer-panel.ts";

const FIRST = "/articles/three-seconds-and-no-fee";
/** Time for a few blocks, each of which takes three seconds. */
const SETTLED = { timeout: 90_000 };

test.describe.configure({ timeout: 180_000 });

let server: Awaited<ReturnType<typeof startServerForWallets>>;
test.beforeAll(async () => {
  server = await startServerForWallets();
});
test.afterAll(() => server.close());

const receipt = (page: Page) => page.getByRole("region", { name: pay.receipt.title });
const underWay = (page: Page) => page.getByRole("region", { name: pay.left.label });
const askButton = (panel: Locator) => panel.getByRole("button", { name: transfer.hiveauth.ask });

/** Opens an article on a phone, and has the wallet of an account asked for its price. */
async function openAndAsk(browser: Browser, account: string) {
  const { context, page } = await openPhone(browser, server.url);
  await page.goto(FIRST);
  const panel = await askForTransfer(page);
  await askHiveAuth(panel, account);
  return { context, page, panel };
}

/** Shows the panel again in which the price of an article was asked for. */
async function showAgain(page: Page): Promise<Locator> {
  await underWay(page).getByRole("button", { name: pay.left.show }).click();
  return transferPanel(page);
}

test("an article on a phone opens once a wallet of HiveAuth has sent the transfer, with the dialog closed meanwhile", async ({
  browser,
}) => {
  const { context, page, panel } = await openAndAsk(browser, "bob");
  await expect(panel).toContainText(transfer.hiveauth.admitHere);
  await expectNothingSeriousInBothThemes(page, "a link to a wallet of HiveAuth that pays");
  const link = await hiveAuthLinkIn(panel);
  await page.keyboard.press("Escape");
  await expect(panel).toBeHidden();
  await payByHiveAuth(server.url, link);
  await expect(receipt(page)).toContainText("@bob", SETTLED);

  // The way that was used last is not folded the next time.
  await page.goto("/articles/the-answer-nobody-used");
  await page.getByRole("button", { name: pay.unlock(PRICE) }).click();
  await page.getByRole("button", { name: pay.pay(PRICE) }).click();
  await expect(askButton(transferPanel(page))).toBeVisible();
  await context.close();
});

test("an article on a desktop opens once a wallet of HiveAuth has scanned the code", async ({ browser }) => {
  const context = await browser.newContext({ baseURL: server.url });
  const page = await context.newPage();
  await page.goto(FIRST);
  await askHiveAuth(await askForTransfer(page), "carol");
  const code = page.getByRole("img", { name: transfer.hiveauth.code });
  await expect(code).toBeVisible();
  await expectNothingSeriousInBothThemes(page, "a code with which a wallet of HiveAuth pays");
  await payByHiveAuth(server.url, await scan(code));
  await expect(receipt(page)).toContainText("@carol", SETTLED);
  await context.close();
});

test("a tip on a phone is paid by a wallet of HiveAuth, from the account that is signed in", async ({
  openAs,
}) => {
  const room = await createRoom(server.url, "HiveAuth Tip Room", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`, { ...phone, url: server.url });
  await waitForChannel(alice, room.title);
  await composer(alice, room.title).fill("/tip @bob 0.05");
  await alice.getByRole("button", { name: chat.composer.send, exact: true }).click();
  await choosePayer(alice, pay.payer.transfer);
  await alice.getByRole("button", { name: pay.pay("0.050 HBD") }).click();
  const panel = alice.getByRole("group", { name: transfer.send("0.050 HBD", "bob") });
  await askHiveAuth(panel);
  await payByHiveAuth(server.url, await hiveAuthLinkIn(panel));
  await expect(alice.getByText(pay.tip.done("0.050 HBD", "bob"))).toBeVisible(SETTLED);
});

test("a transfer that the wallet declined can be asked for again", async ({ browser }) => {
  const { context, page, panel } = await openAndAsk(browser, "erin");
  await admitByHiveAuth(await hiveAuthLinkIn(panel), async () => null);
  await expect(panel).toContainText(transfer.hiveauth.unsent.declined);
  await expectNothingSeriousInBothThemes(page, "a declined transfer of HiveAuth");
  await askHiveAuth(panel);
  await payByHiveAuth(server.url, await hiveAuthLinkIn(panel));
  await expect(receipt(page)).toContainText("@erin", SETTLED);
  await context.close();
});

test("asking can be stopped before the wallet admits the page, and another wallet pays", async ({
  browser,
}) => {
  const { context, page, panel } = await openAndAsk(browser, "alice");
  await panel.getByRole("button", { name: transfer.hiveauth.cancel }).click();
  await expect(askButton(panel)).toBeVisible();
  await followLink(await openChain(server.url), await linkIn(panel, walletNames.keychain), "alice");
  await expect(receipt(page)).toContainText("@alice", SETTLED);
  await context.close();
});

test("an answer that the relay invents opens nothing, and a page loaded again asks no second time", async ({
  browser,
}) => {
  const { context, page, panel } = await openAndAsk(browser, "bob");
  await admitByHiveAuth(await hiveAuthLinkIn(panel), async () => "1f".repeat(20));
  await expect(panel).toContainText(transfer.hiveauth.asked);
  await page.reload();
  const again = await showAgain(page);
  await expect(again).toContainText(transfer.hiveauth.asked);
  await expect(askButton(again)).toBeHidden();
  await expect(receipt(page)).toBeHidden();
  // The claim still buys by another wallet.
  await followLink(await openChain(server.url), await linkIn(again, walletNames.keychain));
  await expect(receipt(page)).toContainText("@bob", SETTLED);
  await context.close();
});

/** Shows a page the storage as it is now, besides what it writes itself: browsers may deliver other pages' writes late. */
const hideWritesOfOthers = (page: Page) =>
  page.evaluate(() => {
    const seen = new Map<string, string>(Object.entries(localStorage));
    const { setItem, removeItem } = Storage.prototype;
    Storage.prototype.getItem = (key) => seen.get(key) ?? null;
    Storage.prototype.setItem = function (key, text) {
      seen.set(key, text);
      setItem.call(this, key, text);
    };
    Storage.prototype.removeItem = function (key) {
      seen.delete(key);
      removeItem.call(this, key);
    };
  });

test("two pages that the wallet admits at once ask it to send once", async ({ browser }) => {
  const { context, page, panel } = await openAndAsk(browser, "carol");
  const other = await context.newPage();
  await other.goto(FIRST);
  const otherPanel = await showAgain(other);
  // The way that was used last is not folded.
  await expect(askButton(otherPanel)).toBeVisible();
  await askHiveAuth(otherPanel, "carol");
  const links = [await hiveAuthLinkIn(panel), await hiveAuthLinkIn(otherPanel)];
  for (const one of [page, other]) await hideWritesOfOthers(one);

  const chain = await openChain(server.url);
  const asked: AskedOperation[] = [];
  let letGo = () => {};
  const isLetGo = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const answer = async (one: AskedOperation) => {
    asked.push(one);
    await isLetGo;
    const [, { from, to, amount, memo }] = one.operation;
    return sendTransfer(chain, { from, to, mils: readMils(amount), memo });
  };
  await Promise.all(links.map((link) => admitByHiveAuth(link, answer)));
  for (const shown of [panel, otherPanel]) await expect(shown).toContainText(transfer.hiveauth.asked);
  letGo();
  await expect(receipt(page)).toContainText("@carol", SETTLED);
  expect(asked).toHaveLength(1);
  await context.close();
});
