import type { BrowserContextOptions, Locator, Page } from "playwright/test";
import { strings as frame } from "../../app/(demo)/_landing/frame-texts.en.ts";
import { strings as pay } from "../../app/(demo)/_pay/strings.en.ts";
import { strings as session } from "../../app/(demo)/_session/strings.en.ts";
import { KEPT_COOKIE } from "../../app/(demo)/_ui/kept-marks.ts";
import { strings as articles } from "../../app/(demo)/articles/strings.en.ts";
import { boxOf } from "./support/box-of.ts";
import { timeline, waitForChannel } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expect, test } from "./support/test.ts";
import { openWatched } from "./support/watch-shifts.ts";

const sizes = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
} satisfies Record<string, BrowserContextOptions>;

for (const [size, device] of Object.entries(sizes))
  test.describe(`on a ${size}, nothing moves while`, () => {
    const account = (page: Page) => page.getByRole("button", { name: session.sandbox.signInAs("alice") });

    test("the pages for a signed-out user load", async ({ browser, url }) => {
      const pages: ReadonlyArray<readonly [path: string, shown: (page: Page) => Locator]> = [
        ["/", account],
        ["/articles", (page) => page.getByRole("link", { name: articles.others })],
        ["/articles/three-seconds-and-no-fee", (page) => page.getByText(articles.locked)],
        ["/chat", account],
      ];
      for (const [path, shown] of pages) {
        const context = await browser.newContext({ baseURL: url, ...device });
        const page = await context.newPage();
        expect(await openWatched(page, path, shown(page)), path).toEqual([]);
        await context.close();
      }
    });

    test("the pages for a signed-in user load", async ({ browser, openAs, url }) => {
      const signedIn = await openAs("bob", null);
      const storageState = await signedIn.context().storageState();
      const pages: ReadonlyArray<readonly [path: string, shown: (page: Page) => Locator]> = [
        ["/", (page) => page.getByRole("link", { name: frame.signedIn.continue("bob") })],
        ["/articles", (page) => page.getByRole("link", { name: frame.signedIn.title("bob") })],
      ];
      for (const [path, shown] of pages) {
        const context = await browser.newContext({ baseURL: url, storageState, ...device });
        const page = await context.newPage();
        expect(await openWatched(page, path, shown(page)), path).toEqual([]);
        await context.close();
      }
    });

    test("a channel opens for the first time and again", async ({ browser, openAs, url }) => {
      const room = await createRoom(url, "Still Room", ["alice", "bob"]);
      for (let number = 1; number <= 20; number++)
        await say(
          room,
          "alice",
          `Message **${number}**, long enough for two lines of a phone, with \`code\` in it`,
        );
      // A channel with new messages moves within the list once they are read.
      await room.people.get("bob")?.chat("POST", `/channels/${room.id}/view`, {});
      const signedIn = await openAs("bob", null);
      const { cookies, origins } = await signedIn.context().storageState();
      // This browser stores no messages yet, so the page brings them.
      const storageState = { origins, cookies: cookies.filter(({ name }) => name !== KEPT_COOKIE) };
      const context = await browser.newContext({ baseURL: url, storageState, ...device });
      const last = (page: Page) => timeline(page, room.title).getByText("Message 20");
      for (let visit = 1; visit <= 2; visit++) {
        const page = await context.newPage();
        expect(await openWatched(page, `/chat/${room.id}`, last(page)), `visit ${visit}`).toEqual([]);
        await waitForChannel(page, room.title);
        await page.close();
      }
      await context.close();
    });
  });

test("a page keeps its place if a classic scrollbar appears or a dialog hides it, and the chat leaves none free", async ({
  playwright,
  launchOptions,
  openAs,
  url,
}) => {
  const storageState = await (await openAs("bob", null)).context().storageState();
  const browser = await playwright.chromium.launch({
    ...launchOptions,
    ignoreDefaultArgs: ["--hide-scrollbars"],
  });
  const context = await browser.newContext({
    baseURL: url,
    storageState,
    viewport: { width: 1280, height: 4000 },
  });
  const page = await context.newPage();
  const free = () => page.evaluate(() => innerWidth - document.documentElement.clientWidth);
  const placeOf = async () => (await boxOf(page.locator("header").first())).x;

  await page.goto("/articles/three-seconds-and-no-fee");
  const unlock = page.getByRole("button", { name: pay.unlock("0.050 HBD") });
  await expect(unlock).toBeVisible();
  const width = await free();
  expect(width).toBeGreaterThan(0);
  const place = await placeOf();
  for (const height of [400, 4000]) {
    await page.setViewportSize({ width: 1280, height });
    expect(await placeOf()).toBe(place);
    await unlock.click();
    await expect(page.getByRole("dialog")).toBeVisible();
    expect(await placeOf()).toBe(place);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    expect(await placeOf()).toBe(place);
  }
  await page.goto("/settings");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  expect(await placeOf()).toBe(place);
  await page.goto("/chat");
  await expect(page.locator("#content")).toBeVisible();
  expect(await free()).toBe(0);
  await browser.close();
});
