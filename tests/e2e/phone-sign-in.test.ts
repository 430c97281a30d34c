import type { Page } from "playwright/test";
import { strings as chat } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as session } from "../../app/(demo)/_session/strings.en.ts";
import { strings as wallet } from "../../app/(demo)/_session/wallet-strings.en.ts";
import { scan } from "../harness/scan-code.ts";
import { askWallet } from "./support/ask-wallet.ts";
import { expectNothingSerious, expectNothingSeriousInBothThemes } from "./support/expect-nothing-serious.ts";
import { openPhone } from "./support/open-phone.ts";
import { readLink, signQuestion } from "./support/phone-wallet.ts";
import { expect, test } from "./support/test.ts";

const { phone } = wallet;
const menuOf = (page: Page, name: string) => page.getByRole("button", { name: chat.account.menu(name) });

/** Asks a phone's wallet to sign an account in. */
const askPhone = (page: Page, name: string) => askWallet(page, name, session.phone.button);

test.describe("on a desktop", () => {
  const codeOn = (page: Page) => page.getByRole("img", { name: phone.code });

  test("a phone that scans the code signs the desktop in, and gets no session", async ({ page, browser }) => {
    await askPhone(page, "dave");
    await expect(page.getByText(phone.scan("dave"))).toBeVisible();
    await expectNothingSeriousInBothThemes(page, "a code to sign in by a phone");
    const question = readLink(await scan(codeOn(page)));
    expect(question).toMatchObject({ account: "dave", authority: "posting" });

    const elsewhere = await browser.newContext();
    const visited = await elsewhere.newPage();
    await visited.goto(signQuestion(question));
    await expect(visited.getByRole("heading", { name: "Signed in as @dave" })).toBeVisible();
    await expect(visited.getByText("Chrome / Linux")).toBeVisible();
    await expectNothingSeriousInBothThemes(visited, "the page that a wallet opens");
    expect(await elsewhere.cookies()).toEqual([]);
    await expect(menuOf(page, "dave")).toBeVisible();
    await elsewhere.close();
  });

  test("the phone's owner ends a sign-in that they did not ask for", async ({ page, browser }) => {
    await askPhone(page, "erin");
    const question = readLink(await scan(codeOn(page)));
    const elsewhere = await browser.newContext();
    const visited = await elsewhere.newPage();
    await visited.goto(signQuestion(question));
    await expect(menuOf(page, "erin")).toBeVisible();
    await visited.getByRole("button", { name: "End it" }).click();
    await expect(visited.getByRole("heading", { name: "The sign-in as @erin has ended" })).toBeVisible();
    await elsewhere.close();
    await page.goto("/chat");
    const name = page.getByRole("textbox", { name: session.username });
    await expect(name).toBeVisible();
    // The way used last is the button of the form.
    await name.fill("erin");
    await name.press("Enter");
    await expect(codeOn(page)).toBeVisible();
  });

  test("a cancelled code signs no one in, and the ways are offered again", async ({ page }) => {
    await page.clock.install();
    await askPhone(page, "dave");
    const question = readLink(await scan(codeOn(page)));
    await expect(page.getByText(phone.noAnswer)).toBeHidden();
    await page.clock.fastForward(10_000);
    await expect(page.getByText(phone.noAnswer)).toBeVisible();
    await expectNothingSerious(page, "a code that no phone has answered");
    await page.getByRole("button", { name: wallet.cancel }).click();
    await expect(codeOn(page)).toBeHidden();
    await page.request.get(signQuestion(question));
    await page.getByRole("button", { name: session.phone.button }).click();
    await expect(codeOn(page)).toBeVisible();
    await expect(menuOf(page, "dave")).toBeHidden();
  });
});

test.describe("on a phone", () => {
  const linkOn = (page: Page) => page.getByRole("link", { name: phone.openButton });

  test("the wallet on the same phone signs the page in, also after the page was loaded again", async ({
    browser,
    url,
  }) => {
    const { context, page } = await openPhone(browser, url);
    await askPhone(page, "carol");
    await expect(page.getByText(phone.open("carol"))).toBeVisible();
    await expectNothingSeriousInBothThemes(page, "a link to the wallet on a phone");
    const question = readLink((await linkOn(page).getAttribute("href")) ?? "");
    expect(question).toMatchObject({ account: "carol", authority: "posting" });

    await page.reload();
    await expect(linkOn(page)).toBeVisible();
    const visited = await context.newPage();
    await visited.goto(signQuestion(question));
    await expect(visited.getByRole("heading", { name: "Signed in as @carol" })).toBeVisible();
    await expect(menuOf(page, "carol")).toBeVisible();
    await context.close();
  });
});
