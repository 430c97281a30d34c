import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { darkColours } from "../../lib/colours.ts";
import { channelLink, messageRow, sidebar, timeline, waitForChannel } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expectNothingSeriousInBothThemes } from "./support/expect-nothing-serious.ts";
import { expect, test } from "./support/test.ts";

test("the list of conversations is one Tab stop, and the arrow keys move within it", async ({
  openAs,
  url,
}) => {
  const first = await createRoom(url, "Keys Room", ["alice"]);
  // No room of another test comes between two such names.
  const second = await createRoom(url, `${first.title}b`, ["alice"]);
  const page = await openAs("alice", `/chat/${first.id}`);
  await waitForChannel(page, first.title);
  const stops = sidebar(page).locator("a:not([tabindex='-1']), button:not([tabindex='-1'])");
  await expect(stops).toHaveCount(1);
  await expect(channelLink(page, first.title)).toHaveAttribute("tabindex", "0");

  await channelLink(page, first.title).focus();
  await page.keyboard.press("ArrowDown");
  await expect(channelLink(page, second.title)).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await expect(
    page.getByRole("button", { name: `${strings.channel.menu}: ${second.title}` }).first(),
  ).toBeFocused();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowUp");
  await expect(channelLink(page, first.title)).toBeFocused();
  await expect(stops).toHaveCount(1);
});

test("groups fold and stay folded, but show the open conversation and unread ones", async ({
  openAs,
  url,
}) => {
  const open = await createRoom(url, "Open Fold Room", ["alice"]);
  const read = await createRoom(url, "Read Fold Room", ["alice", "bob"]);
  const page = await openAs("alice", `/chat/${open.id}`);
  await waitForChannel(page, open.title);
  await expect(channelLink(page, read.title)).toBeVisible();
  const group = sidebar(page).getByRole("region").filter({ hasText: open.title });
  const fold = group.getByRole("button", { expanded: true }).first();
  await fold.press("Enter");
  await expect(channelLink(page, read.title)).toBeHidden();
  await expect(channelLink(page, open.title)).toBeVisible();
  await page.reload();
  await waitForChannel(page, open.title);
  await expect(channelLink(page, open.title)).toBeVisible();
  await expect(channelLink(page, read.title)).toBeHidden();
  await say(read, "bob", "News in a folded group");
  await expect(channelLink(page, read.title)).toBeVisible();
  await expectNothingSeriousInBothThemes(page, "a list with a folded group");
});

test("messages are labeled as articles, and a link skips to the conversation", async ({ openAs, url }) => {
  const room = await createRoom(url, "Named Room", ["alice", "bob"]);
  await say(room, "bob", "The beginning of what **bob** says");
  const page = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(page, room.title);
  const named = timeline(page, room.title).getByRole("article", { name: /^bob, .*: The beginning of what/ });
  await expect(named).toBeVisible();
  await expect(messageRow(timeline(page, room.title), "The beginning")).toHaveAccessibleName(/^bob, /);
  const skip = page.getByRole("link", { name: strings.skip });
  await skip.focus();
  await expect(skip).toBeInViewport();
  await skip.press("Enter");
  await expect(page.getByRole("main")).toBeFocused();
});

test("a deep link on a phone shows a channel's placeholder while it loads, in the dark theme's color", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Deep Room", ["alice"]);
  const page = await openAs("alice", null, {
    viewport: { width: 390, height: 844 },
    colorScheme: "dark",
  });
  await page.route("**/api/chat/me", () => new Promise(() => undefined));
  await page.goto(`/chat/${room.id}`);
  const shape = page.locator("[aria-busy=true] > div");
  await expect(shape.nth(1)).toBeVisible();
  await expect(shape.nth(0)).toBeHidden();
  const colours = await shape
    .nth(1)
    .locator(".animate-pulse")
    .first()
    .evaluate((grey) => [
      getComputedStyle(grey).backgroundColor,
      getComputedStyle(document.documentElement).getPropertyValue("--line"),
    ]);
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(darkColours.line.slice(at, at + 2), 16));
  expect(colours).toEqual([`rgb(${red}, ${green}, ${blue})`, darkColours.line]);
});
