import type { Locator, Page } from "playwright/test";
import { strings as chat } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as pay } from "../../app/(demo)/_pay/strings.en.ts";
import { strings as transfer } from "../../app/(demo)/_pay/transfer-strings.en.ts";
import { strings as articles } from "../../app/(demo)/articles/strings.en.ts";
import { walletNames } from "../../lib/wallet-links/index.ts";
import { scan } from "../harness/scan-code.ts";
import { sendTransfer } from "../harness/send-transfer.ts";
import { followLink } from "../harness/transfer-wallet.ts";
import { messageRow, pressOnMessage, timeline, waitForChannel } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expectNothingSeriousInBothThemes } from "./support/expect-nothing-serious.ts";
import { openChain } from "./support/open-chain.ts";
import { openPhone } from "./support/open-phone.ts";
import { choosePayer } from "./support/pay-as.ts";
import { expect, test } from "./support/test.ts";
import { askForTransfer, copyTransfer, linkIn, PRICE, transferPanel } from "./support/transfer-panel.ts";

const FIRST = "/articles/three-seconds-and-no-fee";
/** Time for a few blocks, each of which takes three seconds. */
const SETTLED = { timeout: 90_000 };

test.describe.configure({ timeout: 120_000 });

const receipt = (page: Page) => page.getByRole("region", { name: pay.receipt.title });
const underWay = (page: Page) => page.getByRole("region", { name: pay.left.label });

/** Opens an article and asks for its price by any wallet. */
async function openAndAsk(page: Page, address = FIRST): Promise<Locator> {
  await page.goto(address);
  return askForTransfer(page);
}

async function memoIn(panel: Locator): Promise<string> {
  const other = panel.getByText(transfer.other, { exact: true });
  const memo = panel.getByText(/^x402:/);
  if (!(await memo.isVisible())) await other.click();
  return (await memo.textContent()) ?? "";
}

test.describe("on a phone", () => {
  for (const wallet of Object.values(walletNames))
    test(`an article opens by itself once ${wallet} has sent the transfer of its link`, async ({
      browser,
      url,
    }) => {
      const { context, page } = await openPhone(browser, url);
      const panel = await openAndAsk(page);
      await expect(panel).toContainText(transfer.awaiting);
      // This server has no relay.
      await expect(panel.getByText(transfer.hiveauth.title)).toBeHidden();
      await expectNothingSeriousInBothThemes(page, "the links to the wallets on a phone");
      const { returnTo } = await followLink(await openChain(url), await linkIn(panel, wallet));
      if (returnTo) await page.goto(returnTo);
      await expect(receipt(page)).toContainText("@bob", SETTLED);
      await expect(page.getByRole("article")).toBeVisible();
      await expect(page.getByText(articles.locked)).toBeHidden();
      await page.reload();
      await expect(receipt(page)).toContainText("@bob");
      await context.close();
    });

  test("account, amount and memo are copied for another wallet, and the way is the first one next time", async ({
    browser,
    url,
  }) => {
    const { context, page } = await openPhone(browser, url);
    const panel = await openAndAsk(page);
    const { to, amount, memo } = await copyTransfer(panel);
    expect([to, amount]).toEqual(["shop", PRICE]);
    await sendTransfer(await openChain(url), { from: "carol", to, memo });
    await expect(receipt(page)).toContainText("@carol", SETTLED);
    await page.goto("/articles/the-answer-nobody-used");
    await page.getByRole("button", { name: pay.unlock(PRICE) }).click();
    await expect(page.getByText(pay.payer.byTransfer)).toBeVisible();
    await context.close();
  });

  test("a page that was closed is found again with the same memo, and opens once it is paid", async ({
    browser,
    url,
  }) => {
    const { context, page } = await openPhone(browser, url);
    const panel = await openAndAsk(page);
    const memo = await memoIn(panel);
    await page.close();
    const later = await context.newPage();
    await later.goto(FIRST);
    await expect(underWay(later)).toContainText("Waiting for your transfer");
    await underWay(later).getByRole("button", { name: pay.left.show }).click();
    expect(await memoIn(transferPanel(later))).toBe(memo);
    await later.getByRole("button", { name: transfer.otherWay }).click();
    await choosePayer(later, pay.payer.transfer);
    await later.getByRole("button", { name: pay.pay(PRICE) }).click();
    expect(await memoIn(transferPanel(later))).toBe(memo);
    await later.close();
    await sendTransfer(await openChain(url), { from: "bob", memo });
    const last = await context.newPage();
    await last.goto(FIRST);
    await expect(receipt(last)).toContainText("@bob", SETTLED);
    await context.close();
  });
});

test.describe("on a desktop", () => {
  test("a phone scans the code, and the article opens with the dialog closed", async ({ page, url }) => {
    const panel = await openAndAsk(page);
    await panel.getByRole("radio", { name: walletNames.ecency }).check({ force: true });
    const link = await scan(page.getByRole("img", { name: transfer.code(walletNames.ecency) }));
    await expectNothingSeriousInBothThemes(page, "a code to pay by a phone");
    await page.keyboard.press("Escape");
    await expect(panel).toBeHidden();
    await expect(underWay(page)).toContainText("Waiting for your transfer");
    await followLink(await openChain(url), link);
    await expect(receipt(page)).toContainText("@bob", SETTLED);
  });

  test("a transfer of too little is named, and the right one opens the article", async ({ page, url }) => {
    const panel = await openAndAsk(page);
    const memo = await memoIn(panel);
    const chain = await openChain(url);
    await sendTransfer(chain, { from: "bob", memo, mils: 49 });
    await expect(panel).toContainText(transfer.causes.paid_too_little("0.049 HBD", "bob"), SETTLED);
    await expect(panel).toContainText(transfer.states.noted);
    await expect(panel).toContainText(transfer.sendRight(PRICE));
    await expectNothingSeriousInBothThemes(page, "a wrong transfer");
    await sendTransfer(chain, { from: "bob", memo });
    await expect(receipt(page)).toContainText("@bob", SETTLED);
  });

  test("a tip is paid by a wallet elsewhere, and counts on its message", async ({ openAs, url }) => {
    const room = await createRoom(url, "Any Wallet Room", ["alice", "bob"]);
    await say(room, "bob", "Worth a tip from a phone");
    const alice = await openAs("alice", `/chat/${room.id}`);
    await waitForChannel(alice, room.title);
    const message = messageRow(timeline(alice, room.title), "Worth a tip from a phone");
    await pressOnMessage(message, chat.message.tip);
    await choosePayer(alice, pay.payer.transfer);
    await alice.getByRole("button", { name: pay.pay("0.010 HBD") }).click();
    const panel = alice.getByRole("group", { name: transfer.scan("0.010 HBD", "bob") });
    await expect(panel).toBeVisible();
    const link = await scan(alice.getByRole("img", { name: transfer.code(walletNames.keychain) }));
    await followLink(await openChain(url), link, "carol");
    await expect(alice.getByText(pay.tip.done("0.010 HBD", "bob"))).toBeVisible(SETTLED);
    await alice.getByRole("button", { name: pay.tip.close }).click();
    await expect(message.getByRole("button", { name: pay.tip.chip(1, "0.010 HBD") })).toBeVisible();
  });

  test("a memo paid by another person opens the page of the asker alone", async ({ page, browser, url }) => {
    const memo = await memoIn(await openAndAsk(page));
    const elsewhere = await (await browser.newContext({ baseURL: url })).newPage();
    const other = await openAndAsk(elsewhere);
    expect(await memoIn(other)).not.toBe(memo);
    await sendTransfer(await openChain(url), { from: "carol", memo });
    await expect(receipt(page)).toContainText("@carol", SETTLED);
    await expect(other).toBeVisible();
    await elsewhere.context().close();
  });
});
