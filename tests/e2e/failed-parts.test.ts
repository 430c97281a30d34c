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

const EVERYTHING = "**/*";

/** Cuts a window off from the network, and from its cache, which holds what earlier tests have loaded. */
async function goOffline(page: Page) {
  await page.route(EVERYTHING, (route) => route.abort());
  await page.context().setOffline(true);
}

async function goOnline(page: Page) {
  await page.unroute(EVERYTHING);
  await page.context().setOffline(false);
}

/** Uses `open` without a connection, then with one, and expects `opened` the second time. */
async function failThenOpen(page: Page, open: () => Promise<void>, opened: Locator) {
  await goOffline(page);
  await open();
  await expect(failure(page)).toBeVisible();
  await expect(opened).toBeHidden();
  await goOnline(page);
  await open();
  await expect(opened).toBeVisible();
}

/** Waits until React handles the events of an element that came with the page. */
const waitForHandlers = (element: Locator) =>
  expect
    .poll(() => element.evaluate((node) => Object.keys(node).some((key) => key.startsWith("__reactProps$"))))
    .toBe(true);

test("the pay dialog opens at the next press after it could not be loaded", async ({ page }) => {
  await page.goto("/articles/three-seconds-and-no-fee");
  const unlock = page.getByRole("button", { name: pay.unlock("0.050 HBD") });
  await waitForHandlers(unlock);
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
  await goOffline(alice);
  await button.click();
  await expect(failure(alice)).toBeVisible();
  await expect(button).toHaveAttribute("aria-expanded", "false");
  await expect(button).toBeFocused();
  await goOnline(alice);
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
  await goOffline(alice);
  const chosen = alice.waitForEvent("filechooser");
  await alice.getByRole("button", { name: media.upload.add }).click();
  await (await chosen).setFiles([{ name: "boat.png", mimeType: "image/png", buffer: pngOf("boat.png") }]);
  await expect(alice.getByRole("status").filter({ hasText: ui.loadsLater })).toBeVisible();
  await goOnline(alice);
  const tray = alice.getByRole("list", { name: media.upload.list });
  await expect(tray).toBeVisible();
  // A picture is named after its file.
  await tray.getByRole("button", { name: media.upload.remove("boat") }).click();
  await expect(tray).toBeHidden();
});
