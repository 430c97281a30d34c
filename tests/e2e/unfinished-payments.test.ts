import type { Page } from "playwright/test";
import { strings as chat } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as pay } from "../../app/(demo)/_pay/strings.en.ts";
import { UNFINISHED } from "../../app/(demo)/_session/person.ts";
import { strings as session } from "../../app/(demo)/_session/strings.en.ts";
import { expectNothingSeriousInBothThemes } from "./support/expect-nothing-serious.ts";
import { answerWallet, installWallet } from "./support/install-wallet.ts";
import { payAs, payByKeychain } from "./support/pay-as.ts";
import { expect, test } from "./support/test.ts";

const PRICE = "0.050 HBD";
const FIRST = "/articles/three-seconds-and-no-fee";
const SECOND = "/articles/the-answer-nobody-used";
/** Time for a few blocks, each of which takes three seconds. */
const SETTLED = { timeout: 90_000 };
const receipt = (page: Page) => page.getByRole("region", { name: pay.receipt.title });
const underWay = (page: Page) => page.getByRole("region", { name: pay.left.label });

test.describe.configure({ timeout: 90_000 });

/** Holds the payments for articles until `letGo`, and records which were sent. */
async function holdPayments(page: Page) {
  const sent: string[] = [];
  let letGo = () => {};
  const isLetGo = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.context().route("**/api/demo/articles/**", async (route) => {
    const payment = route.request().headers()["x-payment"];
    if (!payment) return route.continue();
    sent.push(payment);
    await isLetGo;
    // A closed page gets no answer.
    await route.continue().catch(() => undefined);
  });
  return { sent, letGo };
}

async function beginToPay(page: Page, name: string, sent: readonly string[]): Promise<void> {
  await page.goto(FIRST);
  await page.getByRole("button", { name: pay.unlock(PRICE) }).click();
  await payAs(page, name, PRICE);
  await expect.poll(() => sent.length).toBe(1);
}

/** Signs in as dave in a tab. `leave` signs out there, and `enter` is the button that signs in again. */
async function signIn(tab: Page) {
  await tab.goto("/");
  const enter = tab.getByRole("button", { name: session.sandbox.signInAs("dave") });
  await enter.click();
  await tab.waitForURL(/\/chat(\/|$)/);
  const leave = async () => {
    await tab.getByRole("button", { name: chat.account.menu("dave") }).click();
    await tab.getByRole("menuitem", { name: chat.account.signOut }).click();
  };
  return { enter, leave };
}

test("a page reloaded during a payment finishes it, and opens the article without a second payment", async ({
  page,
}) => {
  const { sent, letGo } = await holdPayments(page);
  await beginToPay(page, "alice", sent);
  await page.reload();
  await expect(underWay(page)).toContainText(pay.left.finishing(PRICE, "alice"));
  await expectNothingSeriousInBothThemes(page, "a payment of an earlier page");
  await page.getByRole("button", { name: pay.unlock(PRICE) }).click();
  await expect(page.getByRole("dialog")).toContainText(pay.left.finishing(PRICE, "alice"));
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
  letGo();
  await expect(receipt(page)).toContainText("@alice", SETTLED);
  await expect(page.getByRole("article")).toContainText(/\w/);
  expect(new Set(sent).size).toBe(1);
  await page.reload();
  await expect(receipt(page)).toContainText("@alice");
  await expect(underWay(page)).toBeHidden();
});

/** Has the browser store what it stores under keys of its own as a former version did, in one list. */
const storeAsList = (page: Page, list: string) =>
  page.evaluate((formerKey) => {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(`${formerKey}.`));
    const kept = keys.map((key) => localStorage.getItem(key));
    localStorage.setItem(formerKey, `[${kept.join()}]`);
    for (const key of keys) localStorage.removeItem(key);
    return kept.length;
  }, list);

test("a page finishes a payment that a former version of it stored in a list", async ({ page }) => {
  const { sent, letGo } = await holdPayments(page);
  await beginToPay(page, "bob", sent);
  expect(await storeAsList(page, UNFINISHED)).toBe(1);
  await page.reload();
  await expect(underWay(page)).toContainText(pay.left.finishing(PRICE, "bob"));
  letGo();
  await expect(receipt(page)).toContainText("@bob", SETTLED);
  expect(new Set(sent).size).toBe(1);
  await expect.poll(() => page.evaluate(() => Object.keys(localStorage).join())).not.toContain(UNFINISHED);
});

test("two tabs that were closed while they paid leave both payments to the next page", async ({
  page,
  context,
}) => {
  const { sent, letGo } = await holdPayments(page);
  await beginToPay(page, "carol", sent);
  const other = await context.newPage();
  await other.goto(SECOND);
  await other.getByRole("button", { name: pay.unlock(PRICE) }).click();
  await payAs(other, "erin", PRICE);
  await expect.poll(() => sent.length).toBe(2);
  await other.close();
  await page.reload();
  for (const name of ["carol", "erin"])
    await expect(underWay(page)).toContainText(pay.left.finishing(PRICE, name));
  letGo();
  await expect(receipt(page)).toContainText("@carol", SETTLED);
  await page.goto(SECOND);
  await expect(receipt(page)).toContainText("@erin", SETTLED);
  expect(new Set(sent).size).toBe(2);
});

test("a signed-out user's payment is hidden from others, and finished when they return", async ({
  page: chatTab,
  context,
}) => {
  const { enter, leave } = await signIn(chatTab);
  const page = await context.newPage();
  const { sent, letGo } = await holdPayments(page);
  await beginToPay(page, "bob", sent);
  await page.reload();
  await expect(underWay(page)).toContainText(pay.left.finishing(PRICE, "bob"));

  await leave();
  await expect(underWay(page)).toBeHidden();
  await page.reload();
  await expect(page.getByRole("button", { name: pay.unlock(PRICE) })).toBeVisible();
  await expect(underWay(page)).toBeHidden();

  // One of the two tabs finishes the payment for both.
  await enter.click();
  letGo();
  await expect(receipt(page)).toContainText("@bob", SETTLED);
  expect(new Set(sent).size).toBe(1);
});

test("a payment pending at sign-out is finished in the open page when its payer returns", async ({
  page: chatTab,
  context,
}) => {
  const { enter, leave } = await signIn(chatTab);
  const page = await context.newPage();
  const { sent, letGo } = await holdPayments(page);
  await beginToPay(page, "carol", sent);

  await leave();
  await expect(enter).toBeVisible();
  letGo();
  await enter.click();
  await expect(receipt(page)).toContainText("@carol", SETTLED);
  expect(new Set(sent).size).toBe(1);
});

test("a payment that the wallet signs after its payer signed out is not sent", async ({
  page: chatTab,
  context,
  url,
}) => {
  const { leave } = await signIn(chatTab);
  const page = await context.newPage();
  await installWallet(page, url, { waits: true });
  const { sent } = await holdPayments(page);
  await payByKeychain(page, FIRST, PRICE);
  await expect(page.getByText(pay.wallet.asks(PRICE, "shop"))).toBeVisible();

  await leave();
  await expect(page.getByText(pay.wallet.asks(PRICE, "shop"))).toBeHidden();
  await answerWallet(page);
  await expect(page.getByText(/signature was not used/)).toBeVisible();
  expect(sent).toEqual([]);
});

test("the next page finishes a payment even if the machine's clock is days ahead", async ({ page }) => {
  await page.addInitScript(() => {
    const { now } = Date;
    Date.now = () => now() + 3 * 86_400_000;
  });
  const { sent, letGo } = await holdPayments(page);
  await beginToPay(page, "erin", sent);
  await page.reload();
  await expect(underWay(page)).toContainText(pay.left.finishing(PRICE, "erin"));
  letGo();
  await expect(receipt(page)).toContainText("@erin", SETTLED);
  expect(new Set(sent).size).toBe(1);
});
