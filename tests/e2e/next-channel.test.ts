import type { Page, Route } from "playwright/test";
import { strings } from "../../app/(demo)/_chat/media/strings.en.ts";
import { strings as chat } from "../../app/(demo)/_chat/strings.en.ts";
import {
  channelLink,
  composer,
  finderBox,
  messageRow,
  timeline,
  waitForChannel,
} from "./support/chat-page.ts";
import { createRoom, type Room, say } from "./support/create-room.ts";
import { handFile } from "./support/hand-file.ts";
import { mattermostAnswers } from "./support/outside-team.ts";
import { expect, test } from "./support/test.ts";

const { upload } = strings;

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

for (const way of ["paste", "drop"] as const)
  test(`a picture that arrives by ${way} right after choosing a channel waits there with the text until both are sent`, async ({
    openAs,
    url,
  }) => {
    const first = await createRoom(url, `Aj Held Picture ${way} from`, ["alice"]);
    const next = await createRoom(url, `Aj Held Picture ${way} to`, ["alice"]);
    const alice = await openAs("alice", `/chat/${first.id}`);
    await waitForChannel(alice, first.title);
    await expect(composer(alice, first.title)).toBeFocused();
    const tray = alice.getByRole("list", { name: upload.list });
    const release = await holdRoutes(alice);
    await alice.keyboard.press("Alt+ArrowDown");
    await expect(channelLink(alice, next.title)).toHaveAttribute("aria-current", "page");
    await handFile(way === "paste" ? alice.locator(":focus") : timeline(alice, first.title), way, "hill.png");
    await alice.keyboard.type("Look");
    await alice.keyboard.press("Enter");
    await expect(tray).toHaveCount(0);
    release();
    await expect(tray).toHaveCount(1);
    await expect(composer(alice, next.title)).toHaveValue("Look");
    const sent = messageRow(timeline(alice, next.title), "Look");
    await expect(sent).toHaveCount(0);
    await alice.keyboard.press("Enter");
    await expect(sent.getByRole("img", { name: "hill.png" })).toBeVisible();
    await expect(tray).toHaveCount(0);
    await expect(composer(alice, next.title)).toHaveValue("");
    await channelLink(alice, first.title).click();
    await waitForChannel(alice, first.title);
    await expect(tray).toHaveCount(0);
  });

/** Returns the list of the uploads that a page begins from now on. */
function listUploads(page: Page): readonly string[] {
  const uploads: string[] = [];
  page.on("request", (request) => {
    if (/\/channels\/\w+\/(files|pictures)/.test(request.url())) uploads.push(request.url());
  });
  return uploads;
}

/** Pastes a picture right after choosing a channel whose messages `fail`. */
async function failOpening(page: Page, { id, title }: Room, fail: (route: Route) => Promise<void>) {
  await page.route(`**/api/chat/channels/${id}/posts*`, fail);
  const release = await holdRoutes(page);
  await channelLink(page, title).click();
  await expect(channelLink(page, title)).toHaveAttribute("aria-current", "page");
  await handFile(page.locator("body"), "paste", "hill.png");
  release();
}

const noteOf = (page: Page, text: string) => page.locator("[data-sonner-toast]").filter({ hasText: text });

test("pictures that arrive while a channel fails to open, or later, are shown and wait for its composer", async ({
  openAs,
  url,
}) => {
  const first = await createRoom(url, "Ak Failing Room from", ["alice"]);
  const next = await createRoom(url, "Ak Failing Room to", ["alice"]);
  const alice = await openAs("alice", `/chat/${first.id}`);
  await waitForChannel(alice, first.title);
  await failOpening(alice, next, (route) => route.abort());
  const tray = alice.getByRole("list", { name: upload.list });
  await expect(tray.getByRole("img", { name: "hill" })).toBeVisible();
  await expect(alice.getByText(chat.channel.standing.draft)).toBeVisible();
  await handFile(alice.getByRole("main"), "drop", "valley.png");
  await expect(tray.getByRole("img")).toHaveCount(2);
  await alice.unrouteAll({ behavior: "ignoreErrors" });
  await alice.getByRole("button", { name: chat.failed.retry }).click();
  await waitForChannel(alice, next.title);
  await expect(tray.getByRole("img")).toHaveCount(2);
  await composer(alice, next.title).press("Enter");
  await expect(timeline(alice, next.title).getByRole("img", { name: "valley.png" })).toBeVisible();
  await expect(tray).toHaveCount(0);
});

test("pictures that arrive while a channel turns out to be closed are not uploaded, and a note says why", async ({
  openAs,
  url,
}) => {
  const first = await createRoom(url, "Ak Closed Room from", ["alice"]);
  const next = await createRoom(url, "Ak Closed Room to", ["alice"]);
  const alice = await openAs("alice", `/chat/${first.id}`);
  await waitForChannel(alice, first.title);
  await alice.route(/\/channels\/\w+\/(files|pictures)/, () => new Promise(() => undefined));
  const json = { error: "Not a member.", code: "not_a_member" };
  await failOpening(alice, next, (route) => route.fulfill({ status: 403, json }));
  await expect(noteOf(alice, upload.failed("hill", chat.channel.notMember))).toBeVisible();
  await handFile(alice.getByRole("main"), "drop", "valley.png");
  await expect(noteOf(alice, upload.failed("valley.png", chat.channel.notMember))).toBeVisible();
  await alice.unrouteAll({ behavior: "ignoreErrors" });
  await channelLink(alice, first.title).click();
  await waitForChannel(alice, first.title);
  await channelLink(alice, next.title).click();
  await waitForChannel(alice, next.title);
  await expect(alice.getByRole("list", { name: upload.list })).toHaveCount(0);
});

test("pictures that arrive in a channel read as a guest are not uploaded, and a note says why", async ({
  openAs,
  url,
}) => {
  test.skip(!mattermostAnswers().readsAsGuest, "this Mattermost shows guests nothing");
  const room = await createRoom(url, "Al Guest Room", ["bob"]);
  await say(room, "bob", "Come in");
  const alice = await openAs("alice", `/chat/${room.id}`);
  await expect(messageRow(timeline(alice, room.title), "Come in")).toBeVisible();
  await expect(alice.getByRole("button", { name: chat.channel.join })).toBeVisible();
  const uploads = listUploads(alice);
  for (const way of ["paste", "drop"] as const) {
    // The code that refuses files loads after the channel.
    await expect(async () => {
      await handFile(timeline(alice, room.title), way, `${way}.png`);
      await expect(
        noteOf(alice, upload.failed(`${way}.png`, chat.channel.standing.guest)).first(),
      ).toBeVisible({ timeout: 1000 });
    }).toPass();
  }
  expect(uploads).toEqual([]);
});

/** Clicks a channel's link, and returns the number of its messages that are in view in the first frame of its list. */
function messagesInFirstFrame(page: Page, { title }: Room): Promise<number> {
  const link = channelLink(page, title);
  return link.evaluate(
    (element, name) =>
      new Promise<number>((resolve) => {
        const look = () => {
          const list = document.querySelector(`[role=log][aria-label=${JSON.stringify(name)}]`);
          if (!list) {
            requestAnimationFrame(look);
            return;
          }
          const { top, bottom } = list.getBoundingClientRect();
          const isInView = (post: Element) => {
            const place = post.getBoundingClientRect();
            return (
              place.bottom > top && place.top < bottom && post.checkVisibility({ visibilityProperty: true })
            );
          };
          resolve([...list.querySelectorAll("[data-post]")].filter(isInView).length);
        };
        (element as HTMLElement).click();
        requestAnimationFrame(look);
      }),
    chat.timeline.label(title),
  );
}

test("a channel read before shows a view full of messages in its first frame", async ({ openAs, url }) => {
  const first = await createRoom(url, "Framed Room from", ["alice"]);
  const next = await createRoom(url, "Framed Room to", ["alice"]);
  for (let entry = 1; entry <= 40; entry++)
    for (const room of [first, next]) await say(room, "alice", `Entry ${entry}`);
  const alice = await openAs("alice", `/chat/${first.id}`);
  await waitForChannel(alice, first.title);
  await channelLink(alice, next.title).click();
  await waitForChannel(alice, next.title);
  const messages = timeline(alice, next.title).locator("[data-post]");
  await expect(messages.last()).toBeInViewport();
  const inView = await messages.evaluateAll((posts) => {
    const view = posts[0]?.closest("[role=log]")?.getBoundingClientRect();
    return posts.filter((post) => {
      const { top, bottom } = post.getBoundingClientRect();
      return view && bottom > view.top && top < view.bottom;
    }).length;
  });
  await channelLink(alice, first.title).click();
  await waitForChannel(alice, first.title);
  expect(inView).toBeGreaterThan(5);
  expect(await messagesInFirstFrame(alice, next)).toBe(inView);
});
