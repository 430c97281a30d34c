import type { Locator, Page } from "playwright/test";
import { strings as media } from "../../app/(demo)/_chat/media/strings.en.ts";
import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as pay } from "../../app/(demo)/_pay/strings.en.ts";
import { pngOf, startPictureServer } from "../harness/start-picture-server.ts";
import { boxOf } from "./support/box-of.ts";
import { composer, expectAtRest, messageRow, replyBox, threadPanel, timeline } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expectNothingSeriousInBothThemes } from "./support/expect-nothing-serious.ts";
import { payAs } from "./support/pay-as.ts";
import { expect, test } from "./support/test.ts";

/** Time for a few blocks, each of which takes three seconds. */
const SETTLED = { timeout: 90_000 };
const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

/**
 * Holds a finger on a message once its list is at rest, waits for the actions, and lifts the finger. Retries
 * if the list moved the message away from the finger.
 */
async function pressLong(page: Page, target: Locator): Promise<void> {
  const actions = page.getByRole("dialog", { name: strings.message.actions });
  const touch = await page.context().newCDPSession(page);
  await expect(async () => {
    if (await actions.isVisible()) return;
    await expectAtRest(target);
    await target.tap({ trial: true, timeout: 2000 });
    const box = await boxOf(target);
    const point = { x: box.x + 90, y: box.y + box.height / 2 };
    await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [point] });
    // A finger always moves a little. Until it does, the browser delays everything else.
    await touch.send("Input.dispatchTouchEvent", {
      type: "touchMove",
      touchPoints: [{ ...point, x: point.x + 1 }],
    });
    try {
      await expect(actions).toBeVisible({ timeout: 3000 });
    } finally {
      await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    }
  }).toPass({ timeout: 60_000 });
}

/** Moves a finger across the middle of the screen by this many CSS pixels to the right. */
async function swipe(page: Page, right: number): Promise<void> {
  const touch = await page.context().newCDPSession(page);
  const from = { x: phone.viewport.width / 2 - right / 2, y: phone.viewport.height / 2 };
  await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [from] });
  await touch.send("Input.dispatchTouchEvent", {
    type: "touchMove",
    touchPoints: [{ ...from, x: from.x + right }],
  });
  await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
}

test("a long press on a message opens its actions, and lifting the finger chooses none", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Pocket Room", ["alice", "bob"]);
  for (let line = 1; line <= 12; line += 1) await say(room, "bob", `Line ${line}.`);
  const alice = await openAs("alice", `/chat/${room.id}`, phone);
  const sheet = alice.getByRole("dialog", { name: strings.message.actions });
  await pressLong(alice, messageRow(timeline(alice, room.title), "Line 12."));
  await expect(sheet).toBeVisible();
  await expectNothingSeriousInBothThemes(alice, "the actions of a message, 360 px");
  await sheet.getByRole("button", { name: strings.message.reply }).tap();
  await expect(sheet).toBeHidden();
  await replyBox(alice).fill("With one thumb");
  await expect(replyBox(alice)).toHaveValue("With one thumb");
});

test("on a phone an opened thread has the focus, and the channel below it can't be reached", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Pocket Thread Room", ["alice", "bob"]);
  await say(room, "bob", "What do you think?");
  const alice = await openAs("alice", `/chat/${room.id}`, phone);
  const row = messageRow(timeline(alice, room.title), "What do you think?");
  await pressLong(alice, row);
  await alice
    .getByRole("dialog", { name: strings.message.actions })
    .getByRole("button", { name: strings.message.reply })
    .tap();
  await expect(threadPanel(alice)).toBeFocused();
  const below = alice.locator("textarea[data-composer='']");
  await below.evaluate((field) => field.focus());
  await expect(threadPanel(alice)).toBeFocused();
  await alice.keyboard.type("I agree");
  await expect(replyBox(alice)).toHaveValue("I agree");
  await expect(below).toHaveValue("");
  await threadPanel(alice).getByRole("button", { name: strings.thread.close }).tap();
  await expect(threadPanel(alice)).toBeHidden();
  await expect(row).toBeFocused();
});

test("on a phone and in a thread the text box takes most of the width", async ({ openAs, url }) => {
  const room = await createRoom(url, "Pocket Text Room", ["alice", "bob"]);
  const root = await say(room, "bob", "Shall we?");
  const alice = await openAs("alice", `/chat/${room.id}`, phone);
  const widthOf = async (place: Locator) => (await boxOf(place)).width;
  await expect(composer(alice, room.title)).toBeVisible();
  expect(await widthOf(composer(alice, room.title))).toBeGreaterThan(300);
  await alice.setViewportSize({ width: 1280, height: 800 });
  await alice.goto(`/chat/${room.id}?thread=${root.id}`);
  await expect(replyBox(alice)).toBeVisible();
  expect(await widthOf(replyBox(alice))).toBeGreaterThan(340);
  expect(await widthOf(composer(alice, room.title))).toBeGreaterThan(340);
});

test("on a touch screen a message can be deleted through its actions, and restored", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Thumb Room", ["alice"]);
  await say(room, "alice", "A slip of the thumb");
  const alice = await openAs("alice", `/chat/${room.id}`, phone);
  const row = messageRow(timeline(alice, room.title), "A slip of the thumb");
  await pressLong(alice, row);
  await alice.getByRole("button", { name: strings.message.remove, exact: true }).tap();
  await alice
    .getByRole("dialog", { name: strings.message.removeTitle })
    .getByRole("button", { name: strings.message.remove })
    .tap();
  await expect(row).toBeHidden();
  await timeline(alice, room.title).getByRole("button", { name: strings.message.undo }).tap();
  await expect(row).toBeVisible();
});

const FINGER_PX = 44;

/**
 * Returns the visible controls that are smaller than a finger of 44 px. Those within running text may be
 * smaller.
 */
function missedByFinger(place: Locator): Promise<string[]> {
  return place.evaluate((element, finger) => {
    const controls =
      "a[href], button, input, textarea, summary, label:has(input), [role=menuitem], [role=option]";
    // Positions are whole pixels, so half a pixel on each side may belong to the neighbor.
    const reach = finger / 2 - 1;
    const isOf = (control: Element, x: number, y: number) => {
      const hit = document.elementFromPoint(x, y);
      return hit !== null && (control.contains(hit) || hit.contains(control));
    };
    const scrollerOf = (control: Element): Element => {
      const { parentElement: parent } = control;
      if (!parent) return document.documentElement;
      return parent.scrollHeight > parent.clientHeight && getComputedStyle(parent).overflowY === "auto"
        ? parent
        : scrollerOf(parent);
    };
    return [...element.querySelectorAll(controls)]
      .filter((control) => !control.closest("p, [data-post] [dir=auto], [aria-hidden=true]"))
      .filter((control) => {
        const { left, top, width, height } = control.getBoundingClientRect();
        const [x, y] = [left + width / 2, top + height / 2];
        const hit = document.elementFromPoint(x, y);
        const view = scrollerOf(control).getBoundingClientRect();
        const isCut = y < Math.max(0, view.top) + reach || y > Math.min(innerHeight, view.bottom) - reach;
        if (hit === null || !control.contains(hit) || isCut) return false;
        const around = [
          [x - reach, y],
          [x + reach, y],
          [x, y - reach],
          [x, y + reach],
        ] as const;
        return around.some(([atX, atY]) => !isOf(control, atX, atY));
      })
      .map((control) => control.getAttribute("aria-label") ?? control.textContent ?? "");
  }, FINGER_PX);
}

test("on a touch screen no control outside running text is smaller than a finger", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Finger Room", ["carol", "bob"]);
  await room.people.get("carol")?.mattermost("PUT", `/channels/${room.id}/patch`, { purpose: "For thumbs" });
  const post = await say(room, "bob", "React to me");
  for (const emoji of ["tada", "heart"])
    await room.people
      .get("bob")
      ?.chat("POST", `/channels/${room.id}/posts/${post.id}/reactions`, { emoji, add: true });
  const root = await say(room, "bob", "Answer me");
  await say(room, "carol", "An answer", root.id);
  // This user's list fits the screen. The pill that counts unread rows below would cover a longer one.
  const carol = await openAs("carol", `/chat/${room.id}`, phone);
  const list = timeline(carol, room.title);
  const replies = list.getByRole("button", { name: strings.message.replies(1) });
  await expect(replies).toBeVisible();
  expect(await missedByFinger(carol.locator("body"))).toEqual([]);

  await carol.getByRole("button", { name: `${strings.channel.menu}: ${room.title}` }).tap();
  await expect(carol.getByRole("menuitem").first()).toBeVisible();
  expect(await missedByFinger(carol.getByRole("menu"))).toEqual([]);
  await carol.keyboard.press("Escape");

  await carol.getByRole("button", { name: strings.composer.emoji, exact: true }).tap();
  await expect(carol.getByRole("gridcell").first()).toBeVisible();
  expect(await missedByFinger(carol.getByRole("dialog"))).toEqual([]);
  await carol.keyboard.press("Escape");

  const chosen = carol.waitForEvent("filechooser");
  await carol.getByRole("button", { name: media.upload.add }).tap();
  await (await chosen).setFiles({ name: "hill.png", mimeType: "image/png", buffer: pngOf("hill") });
  await expect(carol.getByRole("button", { name: media.upload.remove("hill") })).toBeVisible();
  expect(await missedByFinger(carol.getByRole("list", { name: media.upload.list }))).toEqual([]);
  await carol.getByRole("button", { name: media.upload.remove("hill") }).tap();

  await replies.tap();
  await expect(replyBox(carol)).toBeVisible();
  expect(await missedByFinger(threadPanel(carol))).toEqual([]);

  await carol.goto("/articles/three-seconds-and-no-fee");
  const unlock = carol.getByRole("button", { name: pay.unlock("0.050 HBD") });
  const receipt = carol.getByRole("region", { name: pay.receipt.title });
  await expect(unlock.or(receipt)).toBeVisible();
  if (await unlock.isVisible()) {
    await unlock.tap();
    await payAs(carol, "carol", "0.050 HBD");
  }
  await expect(receipt).toBeVisible(SETTLED);

  for (const path of [
    "/chat",
    "/",
    "/articles/three-seconds-and-no-fee",
    "/payments?account=carol",
    "/reference",
  ]) {
    await carol.goto(path, { waitUntil: "networkidle" });
    expect(await missedByFinger(carol.locator("body"))).toEqual([]);
  }
});

test("a message's text can be copied from its actions", async ({ openAs, url }) => {
  const room = await createRoom(url, "Copy Room", ["alice", "bob"]);
  await say(room, "bob", "Take **this** with you");
  const alice = await openAs("alice", `/chat/${room.id}`, phone);
  await pressLong(alice, messageRow(timeline(alice, room.title), "Take this with you"));
  await alice.getByRole("button", { name: strings.message.copyText }).tap();
  await expect(alice.getByText(strings.message.textCopied)).toBeVisible();
  expect(await alice.evaluate(() => navigator.clipboard.readText())).toBe("Take **this** with you");
});

test("a swipe over an enlarged picture leads to the message's next picture, and a short move does not", async ({
  openAs,
  url,
}) => {
  const pictures = await startPictureServer();
  for (const name of ["dawn", "dusk"]) pictures.serveBytes(`/${name}.png`, pngOf(name));
  const room = await createRoom(url, "Swipe Room", ["alice", "bob"]);
  await say(
    room,
    "bob",
    ["dawn", "dusk"].map((name) => `![${name}](${pictures.url}/${name}.png)`).join("\n"),
  );
  const alice = await openAs("alice", `/chat/${room.id}`, phone);
  const opener = timeline(alice, room.title).getByRole("button", { name: media.picture.enlarge("dawn") });
  // No element reacts to a press until the list is at rest, and an arriving picture moves the list once more.
  for (const name of ["dawn", "dusk"])
    await expect(timeline(alice, room.title).getByRole("img", { name })).toHaveJSProperty("complete", true);
  await expect(opener).toHaveCSS("pointer-events", "auto");
  await opener.tap();
  const shown = (name: string) => alice.getByRole("dialog", { name: media.picture.label(name) });
  await expect(shown("dawn")).toBeVisible();
  await swipe(alice, -30);
  await expect(shown("dawn").getByText(media.picture.place(1, 2))).toBeVisible();
  await swipe(alice, -150);
  await expect(shown("dusk").getByText(media.picture.place(2, 2))).toBeVisible();
  await swipe(alice, 150);
  await expect(shown("dawn")).toBeVisible();
  await pictures.close();
});
