import type { Locator, Page } from "playwright/test";
import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as pay } from "../../app/(demo)/_pay/strings.en.ts";
import { boxOf } from "./support/box-of.ts";
import {
  messageRow,
  openEachByKeys,
  pressOnMessage,
  replyBox,
  sidebar,
  timeline,
  waitForChannel,
} from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expect, test } from "./support/test.ts";

/** Emulates a right-to-left language; the pages have none yet. */
async function mirror(page: Page): Promise<void> {
  await page.evaluate(() => {
    document.documentElement.dir = "rtl";
  });
}

/** Expects the page to be no wider than its window, and no button, link or field to stick out. */
async function expectNothingOutside(page: Page, where: string): Promise<void> {
  const outside = () =>
    page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      const stray = [...document.querySelectorAll("button, a, input, textarea, h1, h2")].filter((element) => {
        const box = element.getBoundingClientRect();
        if (box.width <= 1 || !element.checkVisibility({ opacityProperty: true })) return false;
        // The content of a box that scrolls sideways may extend beyond its edge.
        for (let around = element.parentElement; around; around = around.parentElement)
          if (around.scrollWidth > around.clientWidth + 1 && getComputedStyle(around).overflowX !== "visible")
            return false;
        return box.left < -1 || box.right > clientWidth + 1;
      });
      return [scrollWidth - clientWidth, ...stray.map(({ outerHTML }) => outerHTML.slice(0, 120))];
    });
  await expect.poll(outside, { message: where }).toEqual([0]);
}

/** Expects the first letter of a name to lie within the name's place, where more letters do not fit. */
async function expectBeginningInside(place: Locator): Promise<void> {
  const state = () =>
    place.evaluate((element) => {
      let first: Node = element;
      while (first.firstChild) first = first.firstChild;
      const range = document.createRange();
      range.setStart(first, 0);
      range.setEnd(first, 1);
      const letter = range.getBoundingClientRect();
      const box = element.getBoundingClientRect();
      return {
        isCut: element.scrollWidth > element.clientWidth,
        startsInside: letter.left >= box.left - 1 && letter.right <= box.right + 1,
      };
    });
  await expect.poll(state).toEqual({ isCut: true, startsInside: true });
}

for (const width of [1280, 390])
  test(`pages fit into ${width} px in right-to-left layout`, async ({ browser, url }) => {
    const context = await browser.newContext({ baseURL: url, viewport: { width, height: 800 } });
    const page = await context.newPage();
    for (const path of [
      "/",
      "/chat",
      "/articles",
      "/payments?account=alice",
      "/settings",
      "/reference",
      "/docs",
    ]) {
      await page.goto(path, { waitUntil: "networkidle" });
      await mirror(page);
      await expectNothingOutside(page, path);
    }
    await page.goto("/articles/three-seconds-and-no-fee");
    await mirror(page);
    await page.getByRole("button", { name: pay.unlock("0.050 HBD") }).click();
    await expect(page.getByRole("button", { name: pay.pay("0.050 HBD") })).toBeVisible();
    await expectNothingOutside(page, "paying");
    const box = await boxOf(page.getByRole("dialog"));
    expect(Math.round(box.x + box.width / 2)).toBe(width / 2);
    await context.close();
  });

for (const width of [1280, 390])
  test(`the chat is mirrored in right-to-left layout at ${width} px, while each message keeps its direction`, async ({
    openAs,
    url,
  }) => {
    const room = await createRoom(url, "Mirrored Room", ["alice", "bob"]);
    await say(room, "bob", "From left to right.");
    await say(room, "bob", "שלום, מה שלומך?");
    const alice = await openAs("alice", `/chat/${room.id}`, { viewport: { width, height: 800 } });
    await alice.emulateMedia({ reducedMotion: "reduce" });
    await waitForChannel(alice, room.title);
    await mirror(alice);
    await expectNothingOutside(alice, "a channel");
    const directionOf = (text: string) =>
      messageRow(timeline(alice, room.title), text)
        .locator("[dir=auto]")
        .filter({ hasText: text })
        .first()
        .evaluate((element) => getComputedStyle(element).direction);
    expect(await directionOf("From left")).toBe("ltr");
    expect(await directionOf("שלום")).toBe("rtl");
    await openEachByKeys(alice, (keys) => expectNothingOutside(alice, keys));
    await pressOnMessage(messageRow(timeline(alice, room.title), "From left"), strings.message.reply);
    await expect(replyBox(alice)).toBeVisible();
    await expectNothingOutside(alice, "a thread");
    if (width < 1024) return;
    const list = await boxOf(sidebar(alice));
    const messages = await boxOf(timeline(alice, room.title));
    expect(list.x).toBeGreaterThan(messages.x);
    const thread = await boxOf(replyBox(alice));
    expect(thread.x).toBeLessThan(messages.x);
  });

test("a long right-to-left name of a channel is shown from its beginning where there is little room", async ({
  openAs,
  url,
}) => {
  const label = "קבוצת הצלמים שאוהבים לצלם טבע וחיות בר בכל עונות השנה";
  const room = await createRoom(url, label, ["alice", "bob"]);
  const alice = await openAs("alice", `/chat/${room.id}`, { viewport: { width: 390, height: 844 } });
  await waitForChannel(alice, room.title);
  await expectBeginningInside(alice.getByRole("heading", { level: 1 }).getByRole("button"));
  await alice.keyboard.press("Control+k");
  await expectBeginningInside(alice.getByRole("option").getByText(room.title));
});
