import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { chooseOnMessage, composer, messageRow, timeline, waitForChannel } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expect, test } from "./support/test.ts";

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

test("on a touch screen Enter inserts a line break, and the button sends", async ({ openAs, url }) => {
  const room = await createRoom(url, "Thumb Room", ["alice"]);
  const page = await openAs("alice", `/chat/${room.id}`, phone);
  const box = composer(page, room.title);
  await box.fill("one");
  await box.press("End");
  await box.press("Enter");
  await box.pressSequentially("two");
  await expect(box).toHaveValue("one\ntwo");
  await page.getByRole("button", { name: strings.composer.send }).click();
  await expect(messageRow(timeline(page, room.title), "one")).toContainText("two");
  await expect(box).toHaveValue("");
});

test("an edit ignores an input method's keys, and survives a visit to another channel and a reload", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Unsaved Room", ["alice"]);
  const other = await createRoom(url, "Elsewhere Room", ["alice"]);
  await say(room, "alice", "written once");
  const page = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(page, room.title);
  await chooseOnMessage(page, messageRow(timeline(page, room.title), "written once"), strings.message.edit);
  const form = page.getByRole("textbox", { name: strings.message.edit });
  await form.fill("written twice");
  // Some browsers end a composition before they report the Enter that ended it, and mark that event.
  await form.evaluate((field) => {
    for (const key of ["Enter", "Escape"])
      field.dispatchEvent(
        new KeyboardEvent("keydown", { key, keyCode: 229, bubbles: true, cancelable: true }),
      );
  });
  await expect(form).toHaveValue("written twice");

  await page.getByRole("link", { name: other.title }).click();
  await waitForChannel(page, other.title);
  await expect(form).toBeHidden();
  await page.goBack();
  await expect(form).toHaveValue("written twice");
  await page.reload();
  await expect(form).toHaveValue("written twice");
  await form.press("Enter");
  await expect(form).toBeHidden();
  await expect(messageRow(timeline(page, room.title), "written twice")).toBeVisible();
  await page.reload();
  await waitForChannel(page, room.title);
  await expect(form).toBeHidden();
});

test("a pasted text that is too long for any message is refused, and other long input is cut", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Paste Room", ["alice"]);
  const page = await openAs("alice", `/chat/${room.id}`);
  const box = composer(page, room.title);
  await box.fill("before");
  await box.evaluate((field) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", "x".repeat(1_000_000));
    field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  });
  await expect(page.getByText(strings.composer.pastedTooLong(1_000_000, 16_383))).toBeVisible();
  await expect(box).toHaveValue("before");
  await box.evaluate((field: HTMLTextAreaElement) => {
    field.select();
    document.execCommand("insertText", false, "x".repeat(1_000_000));
  });
  expect((await box.inputValue()).length).toBeLessThanOrEqual(2 * 16_383);
});

test("invisible characters alone can't be sent", async ({ openAs, url }) => {
  const room = await createRoom(url, "Invisible Room", ["alice"]);
  const page = await openAs("alice", `/chat/${room.id}`);
  await composer(page, room.title).fill("\u200b\u3164 \u2060");
  await expect(page.getByRole("button", { name: strings.composer.send })).toBeDisabled();
});
