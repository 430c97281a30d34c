import { strings as landing } from "../../app/(demo)/_landing/strings.en.ts";
import { strings as session } from "../../app/(demo)/_session/strings.en.ts";
import { expect, test } from "./support/test.ts";

test("the first page says what this is and leads to the chat, the articles, the payments and the reference", async ({
  page,
}) => {
  await page.goto("/");
  await expect(page.getByRole("heading", { level: 1, name: landing.title })).toBeVisible();
  for (const point of landing.points)
    await expect(page.getByRole("heading", { name: point.title })).toBeVisible();
  for (const [name, path] of [
    [landing.nav.chat, "/chat"],
    [landing.nav.articles, "/articles"],
    [landing.nav.payments, "/payments"],
    [landing.nav.reference, "/reference"],
  ] as const)
    await expect(page.getByRole("navigation").getByRole("link", { name, exact: true })).toHaveAttribute(
      "href",
      path,
    );
});

test("the first page shows every sandbox account with what it owns", async ({ page }) => {
  await page.goto("/");
  await expect(page.getByRole("heading", { name: session.sandbox.title })).toBeVisible();
  for (const name of ["alice", "bob", "carol", "dave", "erin", "shop"])
    await expect(page.getByRole("button", { name: session.sandbox.signInAs(name) })).toBeVisible();
  await expect(page.getByText("100.000 HBD")).toBeVisible();
});

test("the first page fits a small phone without scrolling sideways", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto("/");
  await expect(page.getByRole("button", { name: session.sandbox.signInAs("alice") })).toBeVisible();
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
});

test("the keyboard skips the navigation by the first link", async ({ page }) => {
  await page.goto("/");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: landing.skip })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/#content$/);
});

test("no page asks another origin for anything", async ({ page, url }) => {
  const foreign: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url())) foreign.push(request.url());
  });
  for (const path of ["/", "/chat", "/articles", "/payments", "/reference"]) {
    await page.goto(path, { waitUntil: "load" });
    await expect(page.locator("#content")).toBeVisible();
  }
  expect(foreign).toEqual([]);
});
