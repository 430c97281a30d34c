import type { Page } from "playwright/test";
import { strings as landing } from "../../app/(demo)/_landing/strings.en.ts";
import { strings as session } from "../../app/(demo)/_session/strings.en.ts";
import { strings as ui } from "../../app/(demo)/_ui/strings.en.ts";
import { sourceAddressOf } from "../../lib/source-address.ts";
import { expectNothingSerious } from "./support/expect-nothing-serious.ts";
import { expect, test } from "./support/test.ts";

const { broken, notFound } = landing;
const DIGEST = "2718281828";
/** The footer's note about the source: a link if the checkout has a public address, otherwise text. */
const source = sourceAddressOf(process.cwd()) === null ? landing.footer.sourceHere : landing.footer.source;

/** Makes the articles page fail as it would after a server error, with the number of the error's log line. */
async function breakArticles(page: Page) {
  await page.addInitScript((digest) => {
    const json = Response.prototype.json;
    Response.prototype.json = async function readJson() {
      const answer = await json.call(this);
      if (!this.url.endsWith("/api/demo/articles")) return answer;
      return {
        get articles() {
          throw Object.assign(new Error("nobody should read this"), { digest });
        },
      };
    };
  }, DIGEST);
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`a broken page shows the error's number, a link home and the usual footer, ${colorScheme}`, async ({
    browser,
    url,
  }) => {
    const context = await browser.newContext({ baseURL: url, colorScheme, reducedMotion: "reduce" });
    const page = await context.newPage();
    await breakArticles(page);
    await page.goto("/articles");
    await expect(page.getByRole("heading", { level: 1, name: broken.title })).toBeVisible();
    await expect(page.getByRole("alert").filter({ hasText: DIGEST })).toBeVisible();
    await expect(page.getByText("nobody should read this")).toHaveCount(0);
    await expect(page).toHaveTitle(new RegExp(`^${broken.title}`));
    const footer = page.getByRole("contentinfo");
    await expect(footer.getByRole("link", { name: landing.footer.settings })).toHaveAttribute(
      "href",
      "/settings",
    );
    await expect(footer).toContainText(source);
    await expectNothingSerious(page, "broken page");
    await page.getByRole("link", { name: broken.home, exact: true }).click();
    await expect(page.getByRole("heading", { level: 1, name: landing.title })).toBeVisible();
    await context.close();
  });

  test(`a broken root layout falls back to a page that says so, ${colorScheme}`, async ({ browser, url }) => {
    const context = await browser.newContext({ baseURL: url, reducedMotion: "reduce" });
    const page = await context.newPage();
    await page.addInitScript((theme) => {
      localStorage.setItem("theme", theme);
      window.matchMedia = () => {
        throw new Error("broken");
      };
    }, colorScheme);
    await page.goto("/reference");
    await expect(page.getByRole("heading", { level: 1, name: broken.title })).toBeVisible();
    await expect(page.getByRole("button", { name: broken.retry })).toBeVisible();
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await expect.poll(background).toBe(colorScheme === "dark" ? "rgb(20, 19, 15)" : "rgb(246, 244, 238)");
    await expectNothingSerious(page, "broken frame");
    await context.close();
  });
}

test("a broken page recovers on another try", async ({ page }) => {
  await page.route("**/api/demo/articles", (route) => route.fulfill({ json: {} }));
  await page.goto("/articles");
  await expect(page.getByRole("heading", { name: broken.title })).toBeVisible();
  await page.unroute("**/api/demo/articles");
  await page.getByRole("button", { name: broken.retry }).click();
  await expect(page.getByRole("link", { name: "Three seconds and no fee" })).toBeVisible();
});

test("a channel whose script is cut off by the loss of the network says so, and opens once there is one", async ({
  openAs,
}) => {
  const alice = await openAs("alice", null);
  await alice.route(/\/chat\/.*_rsc/, async (route) => {
    const response = await route.fetch();
    await alice.context().setOffline(true);
    await route.fulfill({ response });
  });
  await alice.goto("/chat");
  await expect(alice.getByRole("heading", { level: 1, name: ui.offline.title })).toBeVisible();
  await expect(alice.getByText(ui.offline.text)).toBeVisible();
  await expect(alice.getByText(broken.title)).toHaveCount(0);
  await expectNothingSerious(alice, "a channel without its script");
  await alice.context().setOffline(false);
  await expect(alice.getByRole("log")).toBeVisible();
});

test("a failed server answer shows the request's number, and does not claim that the user is offline", async ({
  page,
}) => {
  await page.route("**/api/demo/articles", (route) =>
    route.fulfill({
      status: 500,
      headers: { "x-request-id": "request-31415" },
      json: { error: "Something went wrong.", code: "internal" },
    }),
  );
  await page.goto("/articles");
  const alert = page.getByRole("alert").filter({ hasText: session.unavailable.title });
  await expect(alert).toContainText(session.requestId("request-31415"));
  await expect(page.getByText(session.failures.offline.title)).toHaveCount(0);
  await page.unroute("**/api/demo/articles");
  await page.route("**/api/demo/articles", (route) => route.abort());
  await alert.getByRole("button", { name: session.tryAgain }).click();
  await expect(page.getByRole("alert").filter({ hasText: session.failures.offline.title })).toBeVisible();
});

test("a missing page returns 404 with its own heading and a link to the chat", async ({ page }) => {
  const answer = await page.goto("/no/such/page");
  expect(answer?.status()).toBe(404);
  await expect(page.getByRole("heading", { level: 1, name: notFound.title })).toBeVisible();
  await page.getByRole("link", { name: notFound.chat }).click();
  await expect(page).toHaveURL(/\/chat$/);
});
