import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import {
  channelLink,
  chooseOnChannel,
  chooseOnMessage,
  composer,
  messageRow,
  pressOnMessage,
  sidebar,
  threadPanel,
  timeline,
  waitForChannel,
} from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expect, test } from "./support/test.ts";

test("a channel marked as unread counts in every window until it is opened again", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Later Room", ["alice", "bob"]);
  const other = await createRoom(url, "Elsewhere Room", ["alice"]);
  for (const text of ["First", "Second", "Third"]) await say(room, "bob", `${text} of three`);
  await room.people.get("alice")?.chat("POST", `/channels/${room.id}/view`);
  const here = await openAs("alice", `/chat/${room.id}`);
  const there = await openAs("alice", `/chat/${room.id}`);
  const windows = [here, there];
  for (const page of windows) await waitForChannel(page, room.title);
  const views: string[] = [];
  for (const page of windows)
    page.on("request", (request) => {
      if (request.url().endsWith(`/channels/${room.id}/view`)) views.push(request.url());
    });

  const row = messageRow(timeline(here, room.title), "Second of three");
  await chooseOnMessage(here, row, strings.message.markUnread);
  for (const page of windows) {
    await expect(channelLink(page, room.title)).toContainText(strings.sidebar.unread(2));
    const log = timeline(page, room.title);
    const announced = log
      .locator("[data-row]")
      .filter({ has: page.getByText(strings.timeline.newMessages, { exact: true }) });
    await expect(announced).toContainText("Second of three");
  }
  await say(room, "bob", "And a fourth");
  for (const page of windows) {
    await expect(timeline(page, room.title)).toContainText("And a fourth");
    await expect(channelLink(page, room.title)).toContainText(strings.sidebar.unread(3));
  }
  expect(views).toEqual([]);

  await channelLink(here, other.title).click();
  await waitForChannel(here, other.title);
  await channelLink(here, room.title).click();
  for (const page of windows) await expect(channelLink(page, room.title)).not.toContainText("unread");
});

test("a channel marked as unread by key or menu becomes read again by Escape or menu, and own messages can't be marked", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Key Room", ["alice", "bob"]);
  await say(room, "bob", "Read this again");
  await say(room, "alice", "I will");
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  const log = timeline(alice, room.title);
  await log.focus();
  await alice.keyboard.press("ArrowUp");
  await expect(messageRow(log, "I will").getByRole("toolbar")).toBeVisible();
  await alice.keyboard.press("ArrowUp");
  const row = messageRow(log, "Read this again");
  await expect(row.getByRole("toolbar")).toBeVisible();
  await alice.keyboard.press("u");
  await expect(channelLink(alice, room.title)).toContainText(strings.sidebar.unread(2));
  await expect(row).toBeFocused();
  await expect(composer(alice, room.title)).toHaveValue("");
  await alice.keyboard.press("Escape");
  await expect(channelLink(alice, room.title)).not.toContainText("unread");
  await chooseOnChannel(alice, room.title, strings.message.markUnread);
  await expect(channelLink(alice, room.title)).toContainText(strings.sidebar.unread(2));
  await chooseOnChannel(alice, room.title, strings.channel.markRead);
  await expect(channelLink(alice, room.title)).not.toContainText("unread");
  await pressOnMessage(messageRow(log, "I will"), strings.message.more);
  await expect(alice.getByRole("menuitem", { name: strings.message.copyText })).toBeVisible();
  await expect(alice.getByRole("menuitem", { name: strings.message.markUnread })).toHaveCount(0);
});

test("a reply marked as unread makes its thread unread in every window, but not its channel", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Later Thread Room", ["alice", "bob"]);
  const alice = room.people.get("alice");
  await alice?.chat("POST", "/threads/view", {});
  const root = await say(room, "alice", "To be answered later");
  for (const text of ["First", "Second", "Third"]) await say(room, "bob", `${text} answer`, root.id);
  const own = await say(room, "alice", "My own answer", root.id);
  await alice?.chat("POST", `/threads/${root.id}/view`, { until: own.create_at });
  const address = `/chat/${room.id}?thread=${root.id}`;
  const [here, there] = [await openAs("alice", address), await openAs("alice", address)];
  const windows = [here, there];
  const threadsRow = (page: typeof here) =>
    sidebar(page).getByRole("button", { name: new RegExp(`^${strings.threads.title}\\b`) });
  const views: string[] = [];
  for (const page of windows) {
    await expect(messageRow(threadPanel(page), "My own answer")).toBeVisible();
    await expect(threadsRow(page)).not.toContainText(strings.threads.unread(1));
    page.on("request", (request) => {
      if (request.url().endsWith("/view")) views.push(request.url());
    });
  }

  const list = threadPanel(here).getByRole("log");
  const newIn = (page: typeof here) =>
    threadPanel(page)
      .locator("[data-row]")
      .filter({ has: page.getByText(strings.timeline.newMessages, { exact: true }) });
  await chooseOnMessage(here, messageRow(list, "Third answer"), strings.message.markUnread);
  for (const page of windows) {
    await expect(threadsRow(page)).toContainText(strings.threads.unread(1));
    await expect(newIn(page)).toContainText("Third answer");
  }
  await messageRow(list, "Second answer").focus();
  await here.keyboard.press("u");
  for (const page of windows) await expect(newIn(page)).toContainText("Second answer");
  await say(room, "bob", "And a fourth answer", root.id);
  for (const page of windows) {
    await expect(messageRow(threadPanel(page), "And a fourth answer")).toBeVisible();
    await expect(threadsRow(page)).toContainText(strings.threads.unread(1));
    await expect(channelLink(page, room.title)).not.toContainText("unread");
  }
  expect(views.filter((view) => view.includes("/threads/"))).toEqual([]);
  await pressOnMessage(messageRow(list, "My own answer"), strings.message.more);
  await expect(here.getByRole("menuitem", { name: strings.message.copyText })).toBeVisible();
  await expect(here.getByRole("menuitem", { name: strings.message.markUnread })).toHaveCount(0);
  await here.keyboard.press("Escape");

  await here.getByRole("button", { name: strings.thread.close }).click();
  // Going back reopens the thread only after its panel has closed.
  await expect(threadPanel(here)).toHaveCount(0);
  await here.goBack();
  for (const page of windows) await expect(threadsRow(page)).not.toContainText(strings.threads.unread(1));
});
