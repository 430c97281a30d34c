import type { Page } from "playwright/test";
import {
  channelLink,
  composer,
  finderBox,
  messageRow,
  timeline,
  waitForChannel,
} from "./support/chat-page.ts";
import { createRoom, type Room } from "./support/create-room.ts";
import { expect, test } from "./support/test.ts";

/** Holds the router's requests until the returned function is called, which lets them fail if `isLost`. */
async function holdRoutes(page: Page): Promise<(isLost?: boolean) => void> {
  let release = (_isLost = false) => {};
  const isReleased = new Promise<boolean>((resolve) => {
    release = (isLost = false) => resolve(isLost);
  });
  await page.route(
    (url) => url.searchParams.has("_rsc"),
    async (route) => {
      if (await isReleased) await route.abort();
      else await route.continue();
    },
  );
  return release;
}

const ways: ReadonlyArray<[string, (page: Page, room: Room) => Promise<void>]> = [
  ["a click", (page, { title }) => channelLink(page, title).click()],
  ["Alt+ArrowDown", (page) => page.keyboard.press("Alt+ArrowDown")],
  [
    "the finder",
    async (page, { title }) => {
      await page.keyboard.press("Control+k");
      await finderBox(page).fill(title);
      await expect(page.getByRole("option", { name: title })).toHaveAttribute("aria-selected", "true");
      await page.keyboard.press("Enter");
    },
  ],
];

for (const [index, [way, choose]] of ways.entries())
  test(`text typed right after choosing a channel by ${way} is written and sent there`, async ({
    openAs,
    url,
  }) => {
    const first = await createRoom(url, `Ac Hasty Room ${index} from`, ["alice"]);
    const next = await createRoom(url, `Ac Hasty Room ${index} to`, ["alice"]);
    const alice = await openAs("alice", `/chat/${first.id}`);
    await waitForChannel(alice, first.title);
    await expect(composer(alice, first.title)).toBeFocused();
    await alice.keyboard.type("stays");
    const release = await holdRoutes(alice);
    await choose(alice, next);
    await alice.keyboard.type("sent");
    await alice.keyboard.press("Enter");
    await alice.keyboard.type("beg");
    await expect(channelLink(alice, next.title)).toHaveAttribute("aria-current", "page");
    await expect(channelLink(alice, first.title)).not.toHaveAttribute("aria-current");
    await expect(composer(alice, first.title)).toHaveValue("stays");
    release();
    await expect(composer(alice, next.title)).toBeFocused();
    await alice.keyboard.type("un");
    await expect(composer(alice, next.title)).toHaveValue("begun");
    await expect(messageRow(timeline(alice, next.title), "sent")).toBeVisible();
  });

test("text typed for a channel is its draft if the channel can't be opened", async ({ openAs, url }) => {
  const first = await createRoom(url, "Ae Lost Room", ["alice"]);
  const next = await createRoom(url, "Af Lost Room", ["alice"]);
  const third = await createRoom(url, "Ag Lost Room", ["alice"]);
  const alice = await openAs("alice", `/chat/${first.id}`);
  await expect(composer(alice, first.title)).toBeFocused();
  const release = await holdRoutes(alice);
  await alice.keyboard.press("Alt+ArrowDown");
  await alice.keyboard.type("for the next");
  await alice.keyboard.press("Alt+ArrowDown");
  await expect(channelLink(alice, third.title)).toHaveAttribute("aria-current", "page");
  await alice.keyboard.type("for the third");
  release(true);
  await expect(composer(alice, third.title)).toHaveValue("for the third");
  await alice.unrouteAll({ behavior: "ignoreErrors" });
  await channelLink(alice, next.title).click();
  await expect(composer(alice, next.title)).toHaveValue("for the next");
});

test("a word of an input method that is unfinished when the channel opens is completed there", async ({
  openAs,
  url,
}) => {
  const first = await createRoom(url, "Ah Composed Room", ["alice"]);
  const next = await createRoom(url, "Ai Composed Room", ["alice"]);
  const alice = await openAs("alice", `/chat/${first.id}`);
  await expect(composer(alice, first.title)).toBeFocused();
  const input = await alice.context().newCDPSession(alice);
  const release = await holdRoutes(alice);
  await alice.keyboard.press("Alt+ArrowDown");
  await input.send("Input.imeSetComposition", { text: "にほ", selectionStart: 2, selectionEnd: 2 });
  release();
  await expect(timeline(alice, next.title)).toBeVisible();
  await input.send("Input.imeSetComposition", { text: "にほん", selectionStart: 3, selectionEnd: 3 });
  await input.send("Input.insertText", { text: "日本" });
  await expect(composer(alice, next.title)).toHaveValue("日本");
  await expect(composer(alice, next.title)).toBeFocused();
});
