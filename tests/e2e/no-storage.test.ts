import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { composer, messageRow, timeline, waitForChannel, write } from "./support/chat-page.ts";
import { createRoom } from "./support/create-room.ts";
import { expect, test } from "./support/test.ts";

test("the chat works without browser storage and says what it can't save", async ({ openAs, url }) => {
  const room = await createRoom(url, "Forgetful Room", ["alice", "bob"]);
  const other = await createRoom(url, "Other Forgetful Room", ["alice"]);
  const page = await openAs("alice", null, { locale: "en-US" });
  await page.addInitScript(() => {
    const denied = {
      get() {
        throw new DOMException("denied", "SecurityError");
      },
    };
    Object.defineProperty(window, "localStorage", denied);
    Object.defineProperty(window, "sessionStorage", denied);
  });
  await page.goto(`/chat/${room.id}`);
  await waitForChannel(page, room.title);
  await expect(page.getByText(strings.keepsNothing)).toBeVisible();
  await write(page, room.title, "Sent without storage");
  await expect(messageRow(timeline(page, room.title), "Sent without storage")).toBeVisible();
  await composer(page, room.title).fill("still unsent");
  await page.getByRole("link", { name: other.title }).click();
  await waitForChannel(page, other.title);
  await page.getByRole("link", { name: new RegExp(`^${room.title}`) }).click();
  await expect(composer(page, room.title)).toHaveValue("still unsent");
});
