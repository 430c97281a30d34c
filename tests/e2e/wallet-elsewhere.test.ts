import type { Browser, Page } from "playwright/test";
import { strings as chat } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as session } from "../../app/(demo)/_session/strings.en.ts";
import { strings as wallet } from "../../app/(demo)/_session/wallet-strings.en.ts";
import { scan } from "../harness/scan-code.ts";
import { answerByHiveAuth } from "../harness/start-hiveauth-relay.ts";
import { askWallet } from "./support/ask-wallet.ts";
import { confirmInEcency } from "./support/confirm-in-ecency.ts";
import { expectNothingSeriousInBothThemes } from "./support/expect-nothing-serious.ts";
import { phone } from "./support/open-phone.ts";
import { stageHivesigner } from "./support/stage-hivesigner.ts";
import { startServerForWallets } from "./support/start-server-for-wallets.ts";
import { expect, test } from "./support/test.ts";

test.describe("a wallet of another service", () => {
  let server: Awaited<ReturnType<typeof startServerForWallets>>;
  test.beforeAll(async () => {
    server = await startServerForWallets();
  });
  test.afterAll(() => server.close());

  const menuOf = (page: Page, name: string) => page.getByRole("button", { name: chat.account.menu(name) });
  const hrefOf = async (page: Page, name: string) =>
    (await page.getByRole("link", { name, exact: true }).getAttribute("href")) ?? "";

  /** Opens the panel in a browser of its own, and chooses a way. */
  const choose = async (browser: Browser, name: string, button: string, options: object = {}) => {
    const context = await browser.newContext({ baseURL: server.url, ...options });
    const page = await context.newPage();
    await askWallet(page, name, button);
    return { context, page };
  };

  test("HiveSigner signs the page in from a tab of the same browser, whose address keeps no code", async ({
    browser,
  }) => {
    const { context, page } = await choose(browser, "dave", session.hivesigner.button);
    await stageHivesigner(context);
    await expect(page.getByText(wallet.hivesigner.open("dave"))).toBeVisible();
    await expectNothingSeriousInBothThemes(page, "the way to HiveSigner");
    const opened = context.waitForEvent("page");
    await page.getByRole("link", { name: wallet.hivesigner.openButton }).click();
    const tab = await opened;
    await expect(tab.getByRole("heading", { name: "Signed in as @dave" })).toBeVisible();
    await expect(tab).toHaveURL(/\/api\/auth\/wallet\/[\w.-]+$/);
    await tab.reload();
    await expect(tab.getByRole("heading", { name: "Signed in as @dave" })).toBeVisible();
    await expect(menuOf(page, "dave")).toBeVisible();

    await tab.getByRole("button", { name: "End it" }).click();
    await expect(tab.getByRole("heading", { name: "The sign-in as @dave has ended" })).toBeVisible();
    await page.goto("/chat");
    // The way used last is the button of the form.
    const name = page.getByRole("textbox", { name: session.username });
    await name.fill("dave");
    await name.press("Enter");
    await expect(page.getByRole("link", { name: wallet.hivesigner.openButton })).toBeVisible();
    await context.close();
  });

  test("HiveSigner's link signs no one in if another browser opens it", async ({ browser }) => {
    const { context, page } = await choose(browser, "erin", session.hivesigner.button);
    const link = await hrefOf(page, wallet.hivesigner.openButton);
    const elsewhere = await browser.newContext();
    await stageHivesigner(elsewhere);
    const visited = await elsewhere.newPage();
    await visited.goto(link);
    await expect(visited.getByText("asked for in another browser")).toBeVisible();
    expect(await elsewhere.cookies()).toEqual([]);
    await expect(page.getByRole("link", { name: wallet.hivesigner.openButton })).toBeVisible();
    await Promise.all([context.close(), elsewhere.close()]);
  });

  test("Ecency on a phone signs the page in, also after it was loaded again", async ({ browser }) => {
    const { context, page } = await choose(browser, "carol", session.ecency.button, phone);
    await expect(page.getByText(wallet.ecency.open("carol"))).toBeVisible();
    await expectNothingSeriousInBothThemes(page, "a link to Ecency on a phone");
    const link = await hrefOf(page, wallet.ecency.openButton);
    await page.reload();
    expect(await hrefOf(page, wallet.ecency.openButton)).toBe(link);
    const visited = await context.newPage();
    await visited.goto(confirmInEcency(link));
    await expect(visited.getByRole("heading", { name: "Signed in as @carol" })).toBeVisible();
    await expect(visited).toHaveURL(/\/api\/auth\/wallet\/[\w.-]+$/);
    await expect(menuOf(page, "carol")).toBeVisible();
    await context.close();
  });

  test("Ecency in another browser of the phone asks its owner first", async ({ browser }) => {
    const { context, page } = await choose(browser, "bob", session.ecency.button, phone);
    const link = await hrefOf(page, wallet.ecency.openButton);
    const elsewhere = await browser.newContext(phone);
    const visited = await elsewhere.newPage();
    await visited.goto(confirmInEcency(link));
    await expect(visited.getByRole("heading", { name: "Sign in another browser as @bob?" })).toBeVisible();
    await expectNothingSeriousInBothThemes(visited, "the page that asks for consent");
    await expect(page.getByRole("link", { name: wallet.ecency.openButton })).toBeVisible();
    await visited.getByRole("button", { name: "Yes, that is my browser" }).click();
    await expect(visited.getByRole("heading", { name: "Signed in as @bob" })).toBeVisible();
    await expect(menuOf(page, "bob")).toBeVisible();
    expect(await elsewhere.cookies()).toEqual([]);
    await Promise.all([context.close(), elsewhere.close()]);
  });

  test("Ecency is not offered on a desktop", async ({ browser }) => {
    const { context, page } = await choose(browser, "alice", session.hiveauth.button);
    await expect(page.getByRole("button", { name: session.ecency.button, exact: true })).toBeHidden();
    await context.close();
  });

  test("a wallet of HiveAuth that scans the code signs the desktop in", async ({ browser }) => {
    const { context, page } = await choose(browser, "erin", session.hiveauth.button);
    const code = page.getByRole("img", { name: wallet.hiveauth.code });
    await expect(code).toBeVisible();
    await expectNothingSeriousInBothThemes(page, "a code for a wallet of HiveAuth");
    const { app: shown, text } = await answerByHiveAuth(await scan(code));
    expect(shown).toBe(new URL(server.url).host);
    expect(text).toContain("Signing in another browser");
    await expect(menuOf(page, "erin")).toBeVisible();
    await context.close();
  });

  test("a wallet of HiveAuth on the same phone signs the page in, although it was loaded again", async ({
    browser,
  }) => {
    const { context, page } = await choose(browser, "carol", session.hiveauth.button, phone);
    const link = await hrefOf(page, wallet.hiveauth.openButton);
    await page.reload();
    await answerByHiveAuth(link);
    await expect(menuOf(page, "carol")).toBeVisible();
    await context.close();
  });

  test("a declined question of HiveAuth offers the ways again", async ({ browser }) => {
    const { context, page } = await choose(browser, "carol", session.hiveauth.button, phone);
    await answerByHiveAuth(await hrefOf(page, wallet.hiveauth.openButton), { approves: false });
    await expect(page.getByText(session.failures.cancelled.title)).toBeVisible();
    await page.getByRole("button", { name: session.tryAgain }).click();
    await expect(page.getByRole("button", { name: session.hiveauth.button, exact: true })).toBeVisible();
    await context.close();
  });
});
