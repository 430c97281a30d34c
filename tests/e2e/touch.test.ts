import type { Locator, Page } from "playwright/test";
import { messages } from "../../app/(demo)/_chat/messages.en.ts";
import { messageRow, replyBox, timeline } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expect, test } from "./support/test.ts";

const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

/** Puts a finger on something, waits until the actions are there, and lifts it. */
async function pressLong(page: Page, target: Locator): Promise<void> {
  await target.tap({ trial: true });
  const box = await target.boundingBox();
  if (!box) throw new Error("nothing to press");
  const touch = await page.context().newCDPSession(page);
  const point = { x: box.x + 90, y: box.y + box.height / 2 };
  await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [point] });
  // No finger lies still; until it moves the browser waits with everything else.
  await touch.send("Input.dispatchTouchEvent", {
    type: "touchMove",
    touchPoints: [{ ...point, x: point.x + 1 }],
  });
  await expect(page.getByRole("dialog", { name: messages.message.actions })).toBeVisible();
  await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
}

test("a long press on a message opens its actions, and lifting the finger chooses none", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Pocket Room", ["alice", "bob"]);
  for (let line = 1; line <= 12; line += 1) await say(room, "bob", `Line ${line}.`);
  const alice = await openAs("alice", `/chat/${room.id}`, phone);
  const sheet = alice.getByRole("dialog", { name: messages.message.actions });
  await pressLong(alice, messageRow(timeline(alice, room.title), "Line 12."));
  await expect(sheet).toBeVisible();
  await sheet.getByRole("button", { name: messages.message.reply }).tap();
  await expect(sheet).toBeHidden();
  await replyBox(alice).fill("With one thumb");
  await expect(replyBox(alice)).toHaveValue("With one thumb");
});

test("on a touch screen a message is deleted and taken back from its actions", async ({ openAs, url }) => {
  const room = await createRoom(url, "Thumb Room", ["alice"]);
  await say(room, "alice", "A slip of the thumb");
  const alice = await openAs("alice", `/chat/${room.id}`, phone);
  const row = messageRow(timeline(alice, room.title), "A slip of the thumb");
  await pressLong(alice, row);
  await alice.getByRole("button", { name: messages.message.remove, exact: true }).tap();
  await alice
    .getByRole("dialog", { name: messages.message.removeTitle })
    .getByRole("button", { name: messages.message.remove })
    .tap();
  await expect(row).toBeHidden();
  await timeline(alice, room.title).getByRole("button", { name: messages.message.undo }).tap();
  await expect(row).toBeVisible();
});
