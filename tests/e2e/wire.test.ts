import type { Page } from "playwright/test";
import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as wire } from "../../app/(demo)/_wire/strings.en.ts";
import { composer, timeline, waitForChannel, write } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expect, test } from "./support/test.ts";

const panel = (page: Page) => page.getByRole("complementary", { name: wire.title });
const entries = (page: Page) => panel(page).getByRole("list", { name: wire.list });
const entry = (page: Page, text: RegExp) => entries(page).getByRole("button", { name: text });

test("the inspector lists the tab's calls and frames, opens them, and hides the chat token", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Wire Room", ["alice", "bob"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await alice.getByRole("button", { name: strings.account.menu("alice") }).click();
  await alice.getByRole("menuitem", { name: strings.account.wire }).click();
  // Calls made before the panel was opened are listed.
  await expect(entry(alice, /received hello/)).toBeVisible();
  await write(alice, room.title, "Over the wire");
  const call = entry(alice, new RegExp(`POST 2\\d\\d .*/api/chat/channels/${room.id}/posts`));
  await expect(call).toBeVisible();
  await call.click();
  await expect(panel(alice)).toContainText("← x-request-id");
  await say(room, "bob", "From the other side");
  const posted = entry(alice, /received posted/).last();
  await expect(posted).toBeVisible();
  await expect(timeline(alice, room.title).getByText("From the other side")).toBeVisible();
  await entry(alice, /received posted/)
    .last()
    .click();
  await expect(panel(alice).locator("pre").last()).toContainText('"message": "From the other side"');
  await composer(alice, room.title).pressSequentially("hm");
  await expect(entry(alice, /sent user_typing/).last()).toBeVisible();
  const secret = (await alice.context().cookies()).find(({ name }) => name === "chat_pat")?.value ?? "";
  expect(secret).not.toBe("");
  expect(await panel(alice).textContent()).not.toContain(secret);
});

test("the inspector can be paused, filtered and cleared by keyboard", async ({ openAs, url }) => {
  const room = await createRoom(url, "Paused Room", ["alice", "bob"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await alice.keyboard.press("Alt+Shift+L");
  await expect(panel(alice)).toBeFocused();
  await expect(entry(alice, /received hello/)).toBeVisible();

  await panel(alice).getByRole("button", { name: wire.pause }).press("Enter");
  await expect(panel(alice).getByRole("status")).toHaveText(wire.paused);
  const posted = entry(alice, /received posted/);
  await say(room, "bob", "While you hold your breath");
  await expect(panel(alice).getByText(/since the pause/)).toBeVisible();
  await expect(posted).toHaveCount(0);
  await panel(alice).getByRole("button", { name: wire.resume }).press("Enter");
  await expect(posted).toHaveCount(1);

  await panel(alice).getByRole("radio", { name: wire.kinds.http }).press(" ");
  await expect(posted).toHaveCount(0);
  await expect(entry(alice, /\/api\/chat\/me/)).toHaveCount(1);
  await panel(alice).getByRole("radio", { name: wire.kinds.all, exact: true }).press(" ");
  await panel(alice).getByRole("searchbox", { name: wire.filter }).fill("hold your breath");
  await expect(entries(alice).getByRole("listitem")).toHaveCount(1);
  await panel(alice).getByRole("searchbox", { name: wire.filter }).fill("never said");
  await expect(panel(alice).getByText(wire.noMatch)).toBeVisible();
  await panel(alice).getByRole("searchbox", { name: wire.filter }).fill("");
  await panel(alice).getByRole("button", { name: wire.clear }).press("Enter");
  await expect(posted).toHaveCount(0);
  await alice.keyboard.press("Escape");
  await expect(panel(alice)).toBeHidden();
});

test("the inspector keeps the focus when the button to the newest entry disappears", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Newest Room", ["alice", "bob"]);
  const alice = await openAs("alice", `/chat/${room.id}`, { viewport: { width: 360, height: 400 } });
  await waitForChannel(alice, room.title);
  await alice.keyboard.press("Alt+Shift+L");
  const inspector = alice.getByRole("dialog", { name: wire.title });
  await expect(inspector.getByRole("listitem").nth(5)).toBeAttached();
  await inspector.getByRole("listitem").first().scrollIntoViewIfNeeded();
  const newest = inspector.getByRole("button", { name: wire.newest });
  await newest.press("Enter");
  await expect(newest).toBeHidden();
  expect(await inspector.evaluate((element) => element.contains(document.activeElement))).toBe(true);
});
