import { strings as chat } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as session } from "../../app/(demo)/_session/strings.en.ts";
import { strings as wallet } from "../../app/(demo)/_session/wallet-strings.en.ts";
import { readSandbox } from "./support/api-person.ts";
import { expectNothingSerious, expectNothingSeriousInBothThemes } from "./support/expect-nothing-serious.ts";
import { answerWallet, askToSignIn, installWallet } from "./support/install-wallet.ts";
import { expect, test } from "./support/test.ts";

const { failures } = session;

test("a wallet's signature opens the chat", async ({ page, url }) => {
  await installWallet(page, url);
  await askToSignIn(page);
  await expect(page.getByRole("button", { name: chat.account.menu("bob") })).toBeVisible();
});

test("an unanswered wallet prompt can be cancelled, and its late signature signs no one in", async ({
  page,
  url,
}) => {
  const { walletWait } = session;
  await installWallet(page, url, { waits: true });
  await page.clock.install();
  const ask = page.getByRole("button", { name: session.keychain.button });
  await askToSignIn(page);
  await expect(page.getByText(walletWait.signIn("bob"))).toBeVisible();
  await expect(ask).toHaveAttribute("aria-busy", "true");
  await expect(page.locator("button[aria-busy=true]")).toHaveCount(1);
  await expect(page.getByRole("button", { name: session.sandbox.signInAs("alice") })).toBeDisabled();
  await expect(page.getByText(wallet.noAnswer)).toBeHidden();
  await page.clock.fastForward(10_000);
  await expect(page.getByText(wallet.noAnswer)).toBeVisible();
  await expectNothingSeriousInBothThemes(page, "a wallet that asks to sign in");
  await page.getByRole("button", { name: wallet.cancel }).click();
  await expect(page.getByText(walletWait.signIn("bob"))).toBeHidden();
  await expect(page.getByRole("button", { name: session.sandbox.signInAs("alice") })).toBeEnabled();

  await ask.click();
  await expect(page.getByRole("heading", { name: failures.wallet_asking.title })).toBeVisible();
  await answerWallet(page);
  await page.getByRole("button", { name: session.tryAgain }).click();
  await ask.click();
  await expect(page.getByText(walletWait.signIn("bob"))).toBeVisible();
  await expect(page).toHaveURL(/\/$/);
  await answerWallet(page);
  await expect(page.getByRole("button", { name: chat.account.menu("bob") })).toBeVisible();
});

test("the sign-in counts down the time to sign, and offers a new challenge once it is too late", async ({
  page,
  url,
}) => {
  const { chain } = await readSandbox(url);
  const asks = page.getByText(session.walletWait.signIn("bob"));
  const tooLate = page.getByRole("heading", { name: wallet.tooLate.title });
  const askAgain = page.getByRole("button", { name: wallet.tooLate.askAgain });
  await installWallet(page, url, { waits: true });
  await page.clock.install();
  await askToSignIn(page);
  await expect(page.getByText(/^You have 4:5\d left to sign\.$/)).toBeVisible();
  await page.clock.fastForward(300_000);
  await expect(tooLate).toBeVisible();
  await expectNothingSeriousInBothThemes(page, "signed too late");
  await answerWallet(page);
  await askAgain.click();
  await expect(asks).toBeVisible();

  const answerLogin = async (code: string) => {
    await page.route("**/api/auth/login", (route) =>
      route.fulfill({ status: 401, json: { error: "No.", code, requestId: "request-1" } }),
    );
    await answerWallet(page);
  };
  await answerLogin("challenge_expired");
  await expect(tooLate).toBeVisible();
  await askAgain.click();
  await expect(asks).toBeVisible();
  await answerLogin("unauthorized");
  await expect(page.getByRole("alert").filter({ hasText: failures.unauthorized.title })).toContainText(
    wallet.ownChain,
  );
  await expect(page.getByText(chain?.url ?? "?", { exact: true })).toBeVisible();
  await expect(page.getByText(chain?.chainId ?? "?", { exact: true })).toBeVisible();
  await expectNothingSeriousInBothThemes(page, "a signature that the sandbox does not know");
});

test("a wallet's refusal shows its reason, other possible causes, and the way back", async ({
  page,
  url,
}) => {
  await installWallet(page, url, { refuses: true });
  await askToSignIn(page);
  await expect(page.getByRole("heading", { name: failures.cancelled.title })).toBeVisible();
  await expect(page.getByText(failures.cancelled.text)).toBeVisible();
  await expect(page.getByText(session.walletSays("Request was canceled by the user."))).toBeVisible();
  await page.getByRole("button", { name: session.tryAgain }).click();
  await expect(page.getByRole("button", { name: session.keychain.button })).toBeVisible();
});

test("a wallet that appears after the page has loaded removes the note that it is missing", async ({
  page,
  url,
}) => {
  await page.clock.install();
  await installWallet(page, url, { lateMs: 60_000 });
  await askToSignIn(page);
  await expect(page.getByText(wallet.missing)).toBeVisible();
  await page.clock.fastForward(60_000);
  await expect(page.getByText(wallet.missing)).toBeHidden();
  await page.getByRole("button", { name: session.keychain.button }).click();
  await expect(page.getByRole("button", { name: chat.account.menu("bob") })).toBeVisible();
});

test("the sandbox's chain can be copied into the wallet at sign-in", async ({ page, url }) => {
  const { chain } = await readSandbox(url);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("/");
  await page.getByText(wallet.chain.ofSandbox.summary).click();
  for (const [name, text] of [
    [wallet.chain.copyNode, chain?.url],
    [wallet.chain.copyChainId, chain?.chainId],
  ] as const) {
    await page.getByRole("button", { name }).click();
    await expect(page.getByRole("status").filter({ hasText: wallet.chain.copied })).toHaveCount(1);
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(text);
    await expect(page.getByRole("status").filter({ hasText: wallet.chain.copied })).toHaveCount(0);
  }
});

test("without a wallet the page says that it is missing", async ({ page }) => {
  await askToSignIn(page);
  await expect(page.getByText(wallet.missing)).toBeVisible();
});

test("on a phone the note about the wallet's prompt comes into view, and Tab leads to its cancel button", async ({
  page,
  url,
}) => {
  await page.setViewportSize({ width: 360, height: 640 });
  await installWallet(page, url, { waits: true });
  await page.goto("/");
  await page.getByText(wallet.chain.ofSandbox.summary).click();
  await page.getByRole("textbox", { name: session.username }).fill("bob");
  await page.getByRole("button", { name: session.keychain.button }).click();
  await expect(page.getByRole("button", { name: wallet.cancel })).toBeInViewport({ ratio: 1 });
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: wallet.cancel })).toBeFocused();
  await expectNothingSerious(page, "a wallet that asks to sign in, under the steps to set it, 360 px");
});
