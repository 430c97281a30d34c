import type { Page } from "playwright/test";
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
