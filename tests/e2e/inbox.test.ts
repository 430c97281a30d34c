import type { Locator, Page } from "playwright/test";
import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import {
  channelLink,
  composer,
  messageRow,
  sidebar,
  threadPanel,
  waitForChannel,
} from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expectNothingSerious } from "./support/expect-nothing-serious.ts";
import { expect, test } from "./support/test.ts";

const threadsRow = (page: Page) =>
  sidebar(page).getByRole("button", { name: new RegExp(`^${strings.threads.title}\\b`) });
/** A window wide enough for the inbox to stay next to the thread that it opens. */
const wide = { viewport: { width: 1600, height: 800 } };
const inbox = (page: Page) => page.getByRole("list", { name: strings.threads.title });

test("a reply in a followed thread counts in the list, and becomes read only in its thread", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Thread Room", ["alice", "erin"]);
  const aside = await createRoom(url, "Aside Room", ["alice", "erin"]);
  const erinApi = room.people.get("erin");
  await erinApi?.chat("POST", "/threads/view", {});
  const root = await say(room, "erin", "A question to all");
  const erin = await openAs("erin", `/chat/${aside.id}`, wide);
  await waitForChannel(erin, aside.title);
  await expect(threadsRow(erin)).toBeVisible();
  await expect(threadsRow(erin)).not.toContainText(strings.threads.unread(1));

  const titleBefore = await erin.title();
  await say(room, "alice", "An answer to that", root.id);
  await expect(threadsRow(erin)).toContainText(strings.threads.unread(1));
  await expect(erin).toHaveTitle(titleBefore);
  await channelLink(erin, room.title).click();
  await waitForChannel(erin, room.title);
  await expect(threadsRow(erin)).toContainText(strings.threads.unread(1));

  await threadsRow(erin).click();
  const entry = inbox(erin).getByRole("link", { name: "A question to all" });
  await expect(entry).toContainText(strings.threads.newReplies(1));
  await expect(entry).toContainText(room.title);
  await expectNothingSerious(erin, "the inbox of threads");
  await entry.click();
  await expect(messageRow(threadPanel(erin), "An answer to that")).toBeVisible();
  await expect(entry).toContainText(strings.message.replies(1));
  await expect(threadsRow(erin)).not.toContainText(strings.threads.unread(1));

  await say(room, "alice", "@erin and one thing more", root.id);
  await expect(entry).toContainText(strings.message.replies(2));
});

test("only the open channel is selected among threads, mentions and channels", async ({ openAs, url }) => {
  const room = await createRoom(url, "Selected Room", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`, wide);
  await waitForChannel(alice, room.title);
  const groundOf = (row: Locator) => row.evaluate((element) => getComputedStyle(element).backgroundColor);
  const selected = await groundOf(channelLink(alice, room.title));
  const mentionsRow = sidebar(alice).getByRole("button", {
    name: new RegExp(`^${strings.mentions.title}\\b`),
  });
  for (const row of [threadsRow(alice), mentionsRow]) {
    await row.click();
    await expect(row).toHaveAttribute("aria-expanded", "true");
    expect(await groundOf(row)).not.toBe(selected);
    await expect(sidebar(alice).locator("[aria-current]")).toHaveCount(1);
    // The open row stands out by its text colour, which hovering does not change.
    const bold = await row.evaluate((element) => getComputedStyle(element).color);
    const ink = await alice.evaluate(() => getComputedStyle(document.body).color);
    expect(bold).toBe(ink);
  }
});

test("a thread opens with a line above its first unread reply, and is read when its end is in view", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Long Thread Room", ["alice", "erin"]);
  const erinApi = room.people.get("erin");
  await erinApi?.chat("POST", "/threads/view", {});
  const root = await say(room, "erin", "A long question");
  const replies: Array<Awaited<ReturnType<typeof say>>> = [];
  for (let number = 1; number <= 40; number += 1)
    replies.push(await say(room, "alice", `Answer ${number} of many`, root.id));
  await erinApi?.chat("POST", `/threads/${root.id}/view`, { until: replies[19]?.create_at });
  const erin = await openAs("erin", `/chat/${room.id}`, wide);
  await expect(threadsRow(erin)).toContainText(strings.threads.unread(1));
  const views: string[] = [];
  erin.on("request", (request) => {
    if (request.url().includes("/threads/")) views.push(request.url());
  });
  await threadsRow(erin).click();
  const entry = inbox(erin).getByRole("link", { name: "A long question" });
  await expect(entry).toContainText(strings.threads.newReplies(20));
  await entry.click();

  const list = threadPanel(erin).getByRole("log");
  const firstNew = list
    .locator("[data-row]")
    .filter({ has: erin.getByText(strings.timeline.newMessages, { exact: true }) });
  await expect(firstNew).toContainText("Answer 21 of many");
  await expect(firstNew).toBeInViewport();
  await expect(messageRow(list, "Answer 40 of many")).not.toBeInViewport();
  // The inbox is refetched at most once a second, which leaves time for a mark as read that should not be sent.
  for (const number of [41, 42]) {
    await say(room, "alice", `Answer ${number} of many`, root.id);
    await expect(entry).toContainText(strings.threads.newReplies(number - 20));
  }
  await expect(threadsRow(erin)).toContainText(strings.threads.unread(1));
  expect(views.filter((address) => address.endsWith("/view"))).toEqual([]);

  await list.focus();
  await list.press("End");
  await expect(messageRow(list, "Answer 42 of many")).toBeInViewport();
  await expect(threadsRow(erin)).not.toContainText(strings.threads.unread(1));
  await expect(firstNew).toContainText("Answer 21 of many");
});

test("marking a thread as read is retried after a failure while the thread's end is in view", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Stubborn Thread Room", ["alice", "erin"]);
  await room.people.get("erin")?.chat("POST", "/threads/view", {});
  const root = await say(room, "erin", "Who answers?");
  await say(room, "alice", "I do", root.id);
  const erin = await openAs("erin", null);
  let marks = 0;
  await erin.route(`**/threads/${root.id}/view`, (route) => {
    marks += 1;
    if (marks > 1) return route.continue();
    return route.fulfill({ status: 502, json: { error: "Away.", code: "backend_unreachable" } });
  });
  await erin.goto(`/chat/${room.id}?thread=${root.id}`);
  await expect.poll(() => marks).toBe(2);
  await expect(threadsRow(erin)).not.toContainText(strings.threads.unread(1));
});

test("the inbox shows a thread formatted, with its links as plain text", async ({ openAs, url }) => {
  const room = await createRoom(url, "Meant Thread Room", ["alice", "carol"]);
  const root = await say(room, "carol", "A **bold** question, see https://example.com/there");
  await say(room, "alice", "An answer", root.id);
  const carol = await openAs("carol", `/chat/${room.id}`);
  await threadsRow(carol).click();
  const entry = inbox(carol).getByRole("link", { name: "A bold question" });
  await expect(entry.locator("strong")).toHaveText("bold");
  await expect(entry.locator("a")).toHaveCount(0);
});

test("an unfollowed thread no longer counts, and the others can all be marked as read at once", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Given Up Room", ["alice", "dave"]);
  await room.people.get("dave")?.chat("POST", "/threads/view", {});
  const root = await say(room, "dave", "Never mind this");
  const other = await say(room, "dave", "But mind that");
  await say(room, "alice", "I do not", root.id);
  const dave = await openAs("dave", `/chat/${room.id}?thread=${root.id}`);
  await expect(messageRow(threadPanel(dave), "I do not")).toBeVisible();
  await dave.getByRole("button", { name: strings.thread.unfollow }).click();
  await expect(dave.getByRole("button", { name: strings.thread.follow })).toBeVisible();
  await dave.getByRole("button", { name: strings.thread.close }).click();
  await say(room, "alice", "Said to nobody", root.id);
  await say(room, "alice", "I mind it", other.id);
  await expect(threadsRow(dave)).toContainText(strings.threads.unread(1));
  await threadsRow(dave).click();
  await expect(inbox(dave).getByRole("link", { name: "But mind that" })).toBeVisible();
  await expect(inbox(dave).getByRole("link", { name: "Never mind this" })).toHaveCount(0);
  await dave.getByRole("button", { name: strings.threads.markAllRead }).click();
  await expect(threadsRow(dave)).not.toContainText(strings.threads.unread(1));
});

test("typing after a sent message is signalled immediately", async ({ openAs, url }) => {
  const room = await createRoom(url, "Writing Room", ["alice", "bob"]);
  const alice = await openAs("alice", "/chat");
  const signs: string[] = [];
  alice.on("websocket", (socket) =>
    socket.on("framesent", ({ payload }) => {
      if (String(payload).includes("user_typing")) signs.push(String(payload));
    }),
  );
  await alice.goto(`/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await expect(async () => {
    await composer(alice, room.title).pressSequentially("o");
    expect(signs).not.toHaveLength(0);
  }).toPass();
  await composer(alice, room.title).press("Enter");
  const before = signs.length;
  await composer(alice, room.title).pressSequentially("two");
  await expect.poll(() => signs.length).toBeGreaterThan(before);
});

test("closing a thread opened from a list returns to the list", async ({ openAs, url }) => {
  const room = await createRoom(url, "Back Room", ["alice", "erin"]);
  const root = await say(room, "erin", "A question to come back to");
  await say(room, "alice", "Here is why, @erin", root.id);
  const close = strings.thread.close;
  for (const width of [1280, 390]) {
    const erin = await openAs("erin", width === 390 ? "/chat" : `/chat/${room.id}`, {
      viewport: { width, height: 800 },
    });
    for (const title of [strings.threads.title, strings.mentions.title]) {
      if (width === 390) await erin.goto("/chat");
      await sidebar(erin)
        .getByRole("button", { name: new RegExp(`^${title}\\b`) })
        .click();
      const panel = erin
        .getByRole("complementary", { name: title, exact: true })
        .or(erin.getByRole("dialog", { name: title, exact: true }));
      const words = title === strings.threads.title ? "A question to come back to" : "Here is why";
      await panel.getByRole("link").filter({ hasText: words }).click();
      await expect(messageRow(threadPanel(erin), "Here is why")).toBeVisible();
      await expect(panel).toBeHidden();
      await threadPanel(erin).getByRole("button", { name: close }).click();
      await expect(panel).toBeVisible();
      await expect(threadPanel(erin)).toBeHidden();
      await erin.keyboard.press("Escape");
      await expect(panel).toBeHidden();
    }
    // Closing a thread that was opened from its message returns to the channel.
    await erin.goto(`/chat/${room.id}?thread=${root.id}`);
    await threadPanel(erin).getByRole("button", { name: close }).click();
    await expect(threadPanel(erin)).toBeHidden();
    await expect(composer(erin, room.title)).toBeVisible();
  }
});
