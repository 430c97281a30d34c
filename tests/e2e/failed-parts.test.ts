import type { Locator, Page } from "playwright/test";
import { strings as media } from "../../app/(demo)/_chat/media/strings.en.ts";
import { strings as chat } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as pay } from "../../app/(demo)/_pay/strings.en.ts";
import { strings as ui } from "../../app/(demo)/_ui/strings.en.ts";
import { pngOf } from "../harness/start-picture-server.ts";
import { finderBox, waitForChannel } from "./support/chat-page.ts";
import { createRoom } from "./support/create-room.ts";
import { expect, test } from "./support/test.ts";

const failure = (page: Page) => page.getByRole("alert").filter({ hasText: ui.notLoaded });

/** Uses `open` without a connection, then with one, and expects `opened` the second time. */
async function failThenOpen(page: Page, open: () => Promise<void>, opened: Locator) {
  await page.context().setOffline(true);
  // The page may not react to the first press yet.
  await expect(async () => {
    await open();
    await expect(failure(page)).toBeVisible({ timeout: 1000 });
  }).toPass();
  await expect(opened).toBeHidden();
  await page.context().setOffline(false);
  await open();
  await expect(opened).toBeVisible();
}

test("the pay dialog opens at the next press after it could not be loaded", async ({ page }) => {
  await page.goto("/articles/three-seconds-and-no-fee", { waitUntil: "networkidle" });
  const unlock = page.getByRole("button", { name: pay.unlock("0.050 HBD") });
  await failThenOpen(page, () => unlock.click(), page.getByRole("dialog"));
});

test("a menu that could not be loaded is closed, returns the focus, and opens at the next press", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Closed Hatch", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  const button = alice.getByRole("button", { name: chat.account.menu("alice") });
  await alice.context().setOffline(true);
  await button.click();
  await expect(failure(alice)).toBeVisible();
  await expect(button).toHaveAttribute("aria-expanded", "false");
  await expect(button).toBeFocused();
  await alice.context().setOffline(false);
  await button.click();
  await expect(alice.getByRole("menu")).toBeVisible();
  await alice.keyboard.press("Escape");
});

test("the finder and the channel's description open after they could not be loaded", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Broken Bridge", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  const finder = alice.getByRole("dialog", { name: chat.finder.title });
  await failThenOpen(alice, () => alice.keyboard.press("Control+k"), finder);
  await expect(finderBox(alice)).toBeFocused();
  await alice.keyboard.press("Escape");
  await expect(finder).toBeHidden();
  await expect(failure(alice)).toBeHidden();
  const title = alice.getByRole("heading", { level: 1 }).getByRole("button", { name: room.title });
  await failThenOpen(alice, () => title.click(), alice.getByRole("dialog"));
  await alice.keyboard.press("Escape");
});

test("pictures to send appear by themselves after their list could not be loaded", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Lost Tray", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await alice.context().setOffline(true);
  const chosen = alice.waitForEvent("filechooser");
  await alice.getByRole("button", { name: media.upload.add }).click();
  await (await chosen).setFiles([{ name: "boat.png", mimeType: "image/png", buffer: pngOf("boat.png") }]);
  await expect(alice.getByRole("status").filter({ hasText: ui.loadsLater })).toBeVisible();
  await alice.context().setOffline(false);
  const tray = alice.getByRole("list", { name: media.upload.list });
  await expect(tray).toBeVisible();
  // A picture is named after its file.
  await tray.getByRole("button", { name: media.upload.remove("boat") }).click();
  await expect(tray).toBeHidden();
});
