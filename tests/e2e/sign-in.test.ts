import type { Page } from "playwright/test";
import { strings as chat } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as frame } from "../../app/(demo)/_landing/frame-texts.en.ts";
import { strings as landing } from "../../app/(demo)/_landing/strings.en.ts";
import { strings as problems } from "../../app/(demo)/_session/problem-texts.en.ts";
import { strings as session } from "../../app/(demo)/_session/strings.en.ts";
import { strings as wallet } from "../../app/(demo)/_session/wallet-strings.en.ts";
import { readSandbox } from "./support/api-person.ts";
import { waitForChannel } from "./support/chat-page.ts";
import { createRoom } from "./support/create-room.ts";
import { installWallet } from "./support/install-wallet.ts";
import { expect, test } from "./support/test.ts";

const { failures } = session;
/** The address of a conversation, to which a wide screen moves on from `/chat`. */
const IN_A_CHANNEL = /\/chat\/[a-z0-9]{26}$/;

/** Signs in with one click, and returns the button of the account's menu. */
async function enterAs(page: Page, name: string) {
  await page.goto("/");
  await page.getByRole("button", { name: session.sandbox.signInAs(name) }).click();
  const menu = page.getByRole("button", { name: chat.account.menu(name) });
  await expect(menu).toBeVisible();
  return menu;
}

test("one click on a sandbox account opens the chat under its name", async ({ page }) => {
  await enterAs(page, "erin");
  await expect(page).toHaveURL(IN_A_CHANNEL);
});

test("a posting key typed in the sandbox opens the chat, and is neither sent nor stored", async ({
  page,
  url,
}) => {
  const { accounts } = await readSandbox(url);
  const key = accounts.find(({ name }) => name === "carol")?.keys.posting ?? "";
  const sent: string[] = [];
  page.on("request", (request) => sent.push(`${request.url()} ${request.postData() ?? ""}`));
  await page.goto("/");
  await page.getByRole("textbox", { name: session.username }).fill("carol");
  await page.getByText(session.key.summary).click();
  await page.getByLabel(session.key.label).fill(key);
  await page.getByRole("button", { name: session.key.button }).click();
  await expect(page.getByRole("button", { name: chat.account.menu("carol") })).toBeVisible();
  expect(sent.filter((text) => text.includes(key))).toEqual([]);
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  expect(kept).not.toContain(key);
});

test("an invalid key is refused on the page", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("textbox", { name: session.username }).fill("carol");
  await page.getByText(session.key.summary).click();
  await page.getByLabel(session.key.label).fill("my secret password");
  await page.getByRole("button", { name: session.key.button }).click();
  await expect(page.getByText(session.key.malformed)).toBeVisible();
});

test("a key without a name asks for the name in its field, and the key stays", async ({ page }) => {
  await page.goto("/");
  const name = page.getByRole("textbox", { name: session.username });
  const key = page.getByLabel(session.key.label);
  await page.getByText(session.key.summary).click();
  await key.fill("5JdeC9P7Pbd1uGdFVEsJ41EkEnADbbHGq6p1BwFxm6txNBsQnsw");
  await page.getByRole("button", { name: session.key.button }).click();
  await expect(page.getByText(session.key.nameless)).toBeVisible();
  await expect(name).toBeFocused();
  await expect(name).toHaveAttribute("aria-invalid", "true");
  await expect(name).toHaveAccessibleDescription(session.key.nameless);
  await expect(key).not.toHaveAttribute("aria-invalid");
  await expect(key).toHaveValue("5JdeC9P7Pbd1uGdFVEsJ41EkEnADbbHGq6p1BwFxm6txNBsQnsw");
  await page.keyboard.type("c");
  await expect(page.getByText(session.key.nameless)).toBeHidden();
  await expect(name).not.toHaveAttribute("aria-invalid");
});

test("a mistyped key is reported as malformed", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("textbox", { name: session.username }).fill("carol");
  await page.getByText(session.key.summary).click();
  await page.getByLabel(session.key.label).fill("5JdeC9P7Pbd1uGdFVEsJ41EkEnADbbHGq6p1BwFxm6txNBsQnsz");
  await page.getByRole("button", { name: session.key.button }).click();
  const notice = page.getByRole("alert").filter({ hasText: failures.malformed_key.title });
  await expect(notice).toContainText(failures.malformed_key.text);
});

test("a name with an at sign, a capital and a space is accepted, and an invalid one is refused", async ({
  page,
  url,
}) => {
  await installWallet(page, url);
  await page.goto("/");
  const name = page.getByRole("textbox", { name: session.username });
  await name.fill("no_name!");
  await page.getByRole("button", { name: session.keychain.button }).click();
  await expect(page.getByRole("alert").filter({ hasText: failures.malformed_name.title })).toBeVisible();
  await page.getByRole("button", { name: session.tryAgain }).click();
  await name.fill("@Bob ");
  await expect(name).toHaveValue("bob");
  await page.getByRole("button", { name: session.keychain.button }).click();
  await expect(page).toHaveURL(IN_A_CHANNEL);
  await expect(page.getByRole("button", { name: chat.account.menu("bob") })).toBeVisible();
});

test("a failure without a request number does not ask for one", async ({ page }) => {
  await page.route("**/api/auth/challenge", (route) => route.fulfill({ status: 500, body: "<html>" }));
  await page.goto("/");
  await page.getByRole("button", { name: session.sandbox.signInAs("erin") }).click();
  await expect(page.getByRole("alert").filter({ hasText: failures.unknown.text })).toBeVisible();
});

test("keyboard focus returns from a failure to the ways to sign in", async ({ page }) => {
  await page.route("**/api/auth/challenge", (route) => route.abort());
  await page.goto("/");
  const button = page.getByRole("button", { name: session.sandbox.signInAs("alice") });
  await button.press("Enter");
  await expect(page.getByRole("button", { name: session.tryAgain })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(button).toBeVisible();
  await page.keyboard.press("Tab");
  await expect(button).toBeFocused();
});

test("outside the sandbox a typed key is refused with the reason", async ({ page }) => {
  await page.route("**/api/sandbox", (route) =>
    route.fulfill({ status: 404, json: { error: "There is no such thing.", code: "not_found" } }),
  );
  await page.goto("/");
  await page.getByRole("textbox", { name: session.username }).fill("carol");
  await page.getByText(session.key.summary).click();
  await page.getByLabel(session.key.label).fill("5JdeC9P7Pbd1uGdFVEsJ41EkEnADbbHGq6p1BwFxm6txNBsQnsw");
  await page.getByRole("button", { name: session.key.button }).click();
  await expect(page.getByText(session.key.refused)).toBeVisible();
  await expect(page.getByRole("heading", { name: session.sandbox.title })).toBeHidden();
});

test("another account's key is reported as unauthorized", async ({ page, url }) => {
  const { accounts } = await readSandbox(url);
  await page.goto("/");
  await page.getByRole("textbox", { name: session.username }).fill("carol");
  await page.getByText(session.key.summary).click();
  await page
    .getByLabel(session.key.label)
    .fill(accounts.find(({ name }) => name === "bob")?.keys.posting ?? "");
  await page.getByRole("button", { name: session.key.button }).click();
  const notice = page.getByRole("alert").filter({ hasText: failures.unauthorized.title });
  await expect(notice).toContainText(wallet.ownChain);
});

test("a failed sign-in shows the reason and a next step for eleven failure codes", async ({ page }) => {
  await page.goto("/");
  const signIn = page.getByRole("button", { name: session.sandbox.signInAs("erin") });
  for (const { status, code, text } of [
    { status: 401, code: "unauthorized", text: failures.unauthorized },
    { status: 403, code: "forbidden", text: failures.forbidden },
    { status: 403, code: "user_limit_reached", text: failures.user_limit_reached },
    { status: 403, code: "name_reserved", text: failures.name_reserved },
    { status: 409, code: "name_taken", text: failures.name_taken },
    { status: 429, code: "rate_limited", text: failures.rate_limited },
    { status: 500, code: "internal", text: failures.other },
    { status: 502, code: "backend_unreachable", text: failures.backend_unreachable },
    { status: 502, code: "chat_token_refused", text: failures.chat_token_refused },
    { status: 503, code: "auth_unavailable", text: failures.auth_unavailable },
    { status: 504, code: "backend_timeout", text: failures.backend_timeout },
  ])
    await test.step(`${status} ${code}`, async () => {
      const isAskingToWait = status === 503 || status === 429;
      const requestId = `request-${status}-${code}`;
      await page.route("**/api/chat/bootstrap", (route) =>
        route.fulfill({
          status,
          json: { error: "Refused.", code, requestId },
          headers: { "x-request-id": requestId, ...(isAskingToWait && { "retry-after": "7" }) },
        }),
      );
      await signIn.click();
      const notice = page.getByRole("alert").filter({ hasText: text.title });
      await expect(notice).toContainText(text.text);
      await expect(notice).toContainText(session.requestId(requestId));
      await expect(notice.getByText(session.retryIn(7))).toHaveCount(isAskingToWait ? 1 : 0);
      await expect(page.getByRole("alert").filter({ hasText: session.tryAgain })).toHaveCount(1);
      await expect(page).toHaveURL(/:\d+\/$/);
      await page.unroute("**/api/chat/bootstrap");
      await page.getByRole("button", { name: session.tryAgain }).click();
    });
  await signIn.click();
  await expect(page).toHaveURL(IN_A_CHANNEL);
  await expect(page.getByRole("button", { name: chat.account.menu("erin") })).toBeVisible();
});

test("a sign-in without a connection says so", async ({ page }) => {
  await page.goto("/");
  const button = page.getByRole("button", { name: session.sandbox.signInAs("erin") });
  await expect(button).toBeVisible();
  await page.route("**/api/auth/challenge", (route) => route.abort());
  await button.click();
  await expect(page.getByRole("alert").filter({ hasText: failures.offline.title })).toBeVisible();
});

test("the chat shows a signed-out visitor the ways to sign in", async ({ page }) => {
  await page.goto("/chat");
  await expect(page.getByRole("heading", { name: chat.signedOut.title })).toBeVisible();
  await page.getByRole("button", { name: session.sandbox.signInAs("erin") }).click();
  await expect(page.getByRole("button", { name: chat.account.menu("erin") })).toBeVisible();
});

test("a program that reads the chat's address gets the page that asks to sign in", async ({ url }) => {
  // Node's fetch sends the mode of a page's script, but not its destination.
  const response = await fetch(`${url}/chat`);
  expect(response.headers.get("content-type")).toMatch(/^text\/html/);
  expect(await response.text()).toContain(chat.signedOut.title);
});

test("a signed-out visitor of a channel's address signs in there, and the channel opens", async ({
  page,
  url,
}) => {
  const room = await createRoom(url, "Asked First", ["carol", "dave"]);
  await page.goto(`/chat/${room.id}`);
  await expect(page.getByRole("heading", { name: chat.signedOut.title })).toBeVisible();
  await page.getByRole("button", { name: session.sandbox.signInAs("carol") }).click();
  await waitForChannel(page, room.title);
  await expect(page).toHaveURL(new RegExp(`/chat/${room.id}$`));
});

/** Goes to a page by Next's router, as a link in a page of an app that extends this one does. */
const goByRouter = (page: Page, path: string) =>
  page.evaluate((to) => Reflect.get(window, "next").router.push(to), path);

/** Removes the header by which a browser says that a script asks, as over plain HTTP or in an older browser. */
const hideWhoAsks = (page: Page) =>
  page.route(/\/chat\//, async (route) => {
    const { "sec-fetch-mode": _, ...headers } = await route.request().allHeaders();
    await route.fulfill({ response: await route.fetch({ headers }) });
  });

for (const [way, prepare, isNew] of [
  ["in a new document", async () => undefined, true],
  ["in the same document if the browser does not say that a script asks", hideWhoAsks, false],
] as const)
  test(`a signed-out visitor who comes to a channel by Next's router signs in there, ${way}`, async ({
    page,
    url,
  }) => {
    const room = await createRoom(url, "Asked On The Way", ["carol", "dave"]);
    await page.goto("/articles");
    await page.evaluate(() => Reflect.set(window, "isFormer", true));
    await prepare(page);
    await goByRouter(page, `/chat/${room.id}`);
    await expect(page.getByRole("heading", { name: chat.signedOut.title })).toBeVisible();
    await expect(page).toHaveURL(new RegExp(`/chat/${room.id}$`));
    expect(await page.evaluate(() => !("isFormer" in window))).toBe(isNew);
    await page.getByRole("button", { name: session.sandbox.signInAs("carol") }).click();
    await waitForChannel(page, room.title);
    await expect(page).toHaveURL(new RegExp(`/chat/${room.id}$`));
    await page.unrouteAll({ behavior: "wait" });
  });

test("a tab that asks to sign in opens the chat once another tab has signed in", async ({
  page,
  context,
}) => {
  const other = await context.newPage();
  await other.goto("/chat");
  await expect(other.getByRole("button", { name: session.sandbox.signInAs("erin") })).toBeVisible();
  await enterAs(page, "erin");
  await expect(other.getByRole("button", { name: chat.account.menu("erin") })).toBeVisible();
});

test("going back to the ways to sign in opens the chat after a sign-in elsewhere on the site", async ({
  page,
}) => {
  await page.goto("/");
  await page.getByRole("link", { name: landing.start }).click();
  await expect(page.getByRole("heading", { name: chat.signedOut.title })).toBeVisible();
  await page.getByRole("link", { name: chat.signedOut.home }).click();
  // Both pages have the button.
  await expect(page.getByRole("heading", { name: landing.title })).toBeVisible();
  await page.getByRole("button", { name: session.sandbox.signInAs("erin") }).click();
  const menu = page.getByRole("button", { name: chat.account.menu("erin") });
  await expect(menu).toBeVisible();
  await expect(page).toHaveURL(IN_A_CHANNEL);
  await page.goBack();
  await expect(page.getByRole("link", { name: frame.signedIn.continue("erin") })).toBeVisible();
  await page.goBack();
  await expect(menu).toBeVisible();
});

test("the address of the ways to sign in leads to the chat", async ({ page }) => {
  await page.goto("/sign-in");
  await page.getByRole("button", { name: session.sandbox.signInAs("erin") }).click();
  await expect(page.getByRole("button", { name: chat.account.menu("erin") })).toBeVisible();
  await expect(page).toHaveURL(IN_A_CHANNEL);
});

test("a refused chat shows the reason, keeps the login, and opens on a retry", async ({ openAs }) => {
  const page = await openAs("erin", "/");
  const retry = page.getByRole("button", { name: chat.failed.retry });
  const notice = page.getByRole("alert").filter({ hasText: chat.failed.title });
  const tryWith = async (status: number, code: string, open: () => Promise<unknown>) => {
    const requestId = `request-${status}`;
    await page.route("**/api/chat/me", (route) =>
      route.fulfill({
        status,
        json: { error: "Not now.", code, requestId },
        headers: { "x-request-id": requestId },
      }),
    );
    await open();
    await expect(notice).toContainText(session.requestId(requestId));
    await page.unroute("**/api/chat/me");
  };
  await tryWith(403, "forbidden", () => page.goto("/chat"));
  await expect(notice).toContainText(chat.failed.forbidden);
  for (const { status, code, text } of [
    { status: 429, code: "rate_limited", text: chat.failed.busy },
    { status: 500, code: "internal", text: chat.failed.other },
    { status: 502, code: "backend_unreachable", text: chat.failed.mattermost },
    { status: 503, code: "auth_unavailable", text: chat.failed.chain },
    { status: 504, code: "backend_timeout", text: chat.failed.mattermost },
  ])
    await test.step(`${status} ${code}`, async () => {
      await tryWith(status, code, () => retry.click());
      await expect(notice).toContainText(text);
    });
  await retry.click();
  await expect(page.getByRole("button", { name: chat.account.menu("erin") })).toBeVisible();
});

test("an account barred from the chat can sign out, and another can sign in", async ({ page }) => {
  await enterAs(page, "dave");
  await expect(page).toHaveURL(IN_A_CHANNEL);
  await page.route("**/api/chat/me", (route) =>
    route.fulfill({
      status: 403,
      json: { error: "Deactivated.", code: "forbidden", requestId: "request-9" },
    }),
  );
  await page.reload();
  await expect(page.getByText(chat.failed.forbidden)).toBeVisible();
  await page.unroute("**/api/chat/me");
  await page.getByRole("button", { name: chat.account.signOut }).click();
  await expect(page.getByRole("heading", { name: chat.signedOut.title })).toBeVisible();
  await page.getByRole("button", { name: session.sandbox.signInAs("erin") }).click();
  await expect(page.getByRole("button", { name: chat.account.menu("erin") })).toBeVisible();
});

test("signing out ends the session, revokes the chat token, and clears the app icon's badge", async ({
  page,
  context,
}) => {
  const menu = await enterAs(page, "dave");
  const pat = (await context.cookies()).find(({ name }) => name === "chat_pat")?.value ?? "";
  await page.evaluate(() => {
    const setAppBadge = async (badge: number) => void Object.assign(window, { badge });
    Object.assign(Navigator.prototype, { setAppBadge });
  });
  await menu.click();
  await page.getByRole("menuitem", { name: chat.account.signOut }).click();
  await expect(page).toHaveURL(/\/$/);
  expect(await page.evaluate(() => Reflect.get(window, "badge"))).toBe(0);
  await expect(page.getByRole("button", { name: session.sandbox.signInAs("dave") })).toBeVisible();
  expect((await context.cookies()).map(({ name }) => name)).not.toContain("chat_pat");
  const reused = await page.request.get("/api/chat/me", { headers: { authorization: `Bearer ${pat}` } });
  expect(reused.status()).toBe(401);
  await page.goto("/chat");
  await expect(page.getByRole("heading", { name: chat.signedOut.title })).toBeVisible();
});

test("a failed sign-out is reported and keeps the chat open, and a successful one also signs out another tab", async ({
  page,
  context,
}) => {
  const menu = await enterAs(page, "dave");
  const other = await context.newPage();
  await other.goto("/chat");
  await expect(other.getByRole("button", { name: chat.account.menu("dave") })).toBeVisible();
  await page.route("**/api/chat/logout", (route) =>
    route.fulfill({
      status: 502,
      json: { error: "Away.", code: "backend_unreachable", requestId: "request-10" },
    }),
  );
  const leave = async () => {
    await menu.click();
    await page.getByRole("menuitem", { name: chat.account.signOut }).click();
  };
  await leave();
  const problem = problems.problems.backend_unreachable ?? "";
  await expect(page.getByText(chat.account.stillSignedIn(problem))).toBeVisible();
  await expect(page).toHaveURL(IN_A_CHANNEL);
  expect((await context.cookies()).map(({ name }) => name)).toContain("chat_pat");
  await page.unroute("**/api/chat/logout");
  await leave();
  await expect(page).toHaveURL(/\/$/);
  await expect(other.getByRole("heading", { name: chat.signedOut.title })).toBeVisible();

  // The other tab follows the next sign-in.
  await page.getByRole("button", { name: session.sandbox.signInAs("erin") }).click();
  await expect(other.getByRole("button", { name: chat.account.menu("erin") })).toBeVisible();
});
