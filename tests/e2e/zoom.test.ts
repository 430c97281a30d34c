import type { Page } from "playwright/test";
import { texts as spanish } from "../../app/_languages/es/index.ts";
import { strings as chat } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as pay } from "../../app/(demo)/_pay/strings.en.ts";
import {
  composer,
  messageRow,
  pressOnMessage,
  replyBox,
  timeline,
  waitForChannel,
  write,
} from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expect, test } from "./support/test.ts";

/** The size of a window of 1280 x 800 at 200 % zoom. */
const viewport = { width: 640, height: 400 };

async function expectNoSidewaysScroll(page: Page) {
  const excess = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await expect.poll(excess).toBe(0);
}

test("at 200 % zoom the public pages fit, and the pay button is in view", async ({ browser, url }) => {
  const context = await browser.newContext({ viewport, baseURL: url });
  const page = await context.newPage();
  for (const path of [
    "/",
    "/chat",
    "/articles",
    "/offers",
    "/payments?account=alice",
    "/reference",
    "/docs/payments",
  ]) {
    await page.goto(path, { waitUntil: "networkidle" });
    await expectNoSidewaysScroll(page);
  }
  await page.goto("/articles/three-seconds-and-no-fee");
  await expectNoSidewaysScroll(page);
  await page.getByRole("button", { name: pay.unlock("0.050 HBD") }).click();
  const confirm = page.getByRole("button", { name: pay.pay("0.050 HBD") });
  await confirm.scrollIntoViewIfNeeded();
  await expect(confirm).toBeInViewport();
  await context.close();
});

test("at 200 % zoom the chat can be read and written in, and a thread opens", async ({ openAs, url }) => {
  const room = await createRoom(url, "Zoomed Room", ["alice", "bob"]);
  await say(room, "bob", "Can you read this?");
  const alice = await openAs("alice", `/chat/${room.id}`, { viewport });
  await waitForChannel(alice, room.title);
  await expect(timeline(alice, room.title).getByText("Can you read this?")).toBeInViewport();
  await write(alice, room.title, "Loud and clear");
  await expect(messageRow(timeline(alice, room.title), "Loud and clear")).toBeInViewport();
  await expect(composer(alice, room.title)).toBeInViewport();
  await expectNoSidewaysScroll(alice);
  await pressOnMessage(messageRow(timeline(alice, room.title), "Can you read this?"), chat.message.reply);
  await expect(replyBox(alice)).toBeInViewport();
  await expectNoSidewaysScroll(alice);
});

const ARTICLE = "/articles/three-seconds-and-no-fee";
const PRICE = "0.050 HBD";

/** The sizes of the narrowest phones, and of a window of 1280 x 800 at 400 % zoom. */
const narrow = [
  { width: 360, height: 740 },
  { width: 344, height: 882 },
  { width: 320, height: 568 },
];
const touch = { hasTouch: true, isMobile: true, viewport: { width: 360, height: 740 } };
const mouse = { viewport: { width: 360, height: 740 } };

// No test buys an article in Dave's name.
for (const { who, by, options, unlock } of [
  { who: null, by: "by touch", options: touch, unlock: pay.unlock },
  {
    who: null,
    by: "by mouse in Spanish",
    options: { ...mouse, locale: "es-ES" },
    unlock: spanish.pay.unlock,
  },
  { who: "dave", by: "by mouse", options: mouse, unlock: pay.unlock },
  {
    ...{ who: "dave", by: "by touch in Spanish" },
    ...{ options: { ...touch, locale: "es-ES" }, unlock: spanish.pay.unlock },
  },
])
  test(`at 320 to 360 px the site's pages and the payment fit, ${by}, ${who ? "signed in" : "signed out"}`, async ({
    browser,
    openAs,
    url,
  }) => {
    test.slow();
    if (who) await openAs(who, null);
    const page = who
      ? await openAs(who, null, options)
      : await (await browser.newContext({ ...options, baseURL: url })).newPage();
    const header = page.getByRole("banner");
    for (const path of [
      ...["/", "/articles", ARTICLE, "/offers", "/payments?account=alice", "/settings", "/reference"],
      ...["/docs/payments", "/no-page"],
    ]) {
      await page.goto(path, { waitUntil: "networkidle" });
      if (who && path !== "/") await expect(header.getByRole("link", { name: who })).toBeVisible();
      for (const size of narrow) {
        await page.setViewportSize(size);
        await expectNoSidewaysScroll(page);
        for (const control of await header.getByRole("navigation").locator("a, button").all())
          await expect(control).toBeInViewport({ ratio: 1 });
      }
    }
    await page.goto(ARTICLE);
    await page.getByRole("button", { name: unlock?.(PRICE) ?? "" }).click();
    const sheet = page.getByRole("dialog");
    const confirm = sheet.getByRole("button", { name: PRICE });
    await expect(confirm).toBeVisible();
    for (const size of narrow) {
      await page.setViewportSize(size);
      await expectNoSidewaysScroll(page);
      await expect(sheet.getByRole("button").first()).toBeInViewport({ ratio: 1 });
      await expect(confirm).toBeInViewport({ ratio: 1 });
    }
    if (!who) await page.context().close();
  });
