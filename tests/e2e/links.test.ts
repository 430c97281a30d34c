import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { chooseOnMessage, messageRow, timeline, waitForChannel } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expect, test } from "./support/test.ts";

test("the copied link of an old message opens the channel at that message", async ({ openAs, url }) => {
  const room = await createRoom(url, "Link Room", ["alice", "bob"]);
  const old = await say(room, "bob", "The one that matters");
  await room.people.get("alice")?.chat("POST", `/channels/${room.id}/view`);
  for (let index = 0; index < 120; index++) await say(room, "bob", `Later talk ${index}`);
  const alice = await openAs("alice", `/chat/${room.id}?post=${old.id}`);
  const row = messageRow(timeline(alice, room.title), "The one that matters");
  await expect(row).toBeInViewport();
  await chooseOnMessage(alice, row, strings.message.copyLink);
  const link = await alice.evaluate(() => navigator.clipboard.readText());
  expect(link).toBe(`${url}/chat/${room.id}?post=${old.id}`);

  // The button counts messages since the last visit.
  await alice.getByRole("button", { name: strings.timeline.latestWith(120), exact: true }).click();
  await expect(timeline(alice, room.title).getByText("Later talk 119")).toBeInViewport();
  await alice.goto(link);
  await expect(row).toBeInViewport();
});

test("a copy that the browser refuses suggests another way", async ({ openAs, url }) => {
  const room = await createRoom(url, "Guarded Room", ["alice"]);
  await say(room, "alice", "Not to be copied");
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await alice.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException("No.", "NotAllowedError"));
  });
  const row = messageRow(timeline(alice, room.title), "Not to be copied");
  await chooseOnMessage(alice, row, strings.message.copyText);
  await expect(alice.getByText(strings.toast.copyBlocked)).toBeVisible();
});

test("a link to a deleted message says that it is gone", async ({ openAs, url }) => {
  const room = await createRoom(url, "Gone Room", ["alice"]);
  await say(room, "alice", "Still here");
  const post = await say(room, "alice", "Soon gone");
  await room.people.get("alice")?.chat("DELETE", `/channels/${room.id}/posts/${post.id}`);
  const alice = await openAs("alice", `/chat/${room.id}?post=${post.id}`);
  await expect(alice.getByText(strings.timeline.gone)).toBeVisible();
});

test("scrolling up loads older messages up to the first, and a button returns to the latest", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Older Room", ["alice"]);
  for (let index = 0; index < 130; index++) await say(room, "alice", `Line ${index}.`);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await expect(timeline(alice, room.title).getByText("Line 129.")).toBeInViewport();
  await timeline(alice, room.title).hover();
  await expect
    .poll(
      async () => {
        await alice.mouse.wheel(0, -1500);
        return timeline(alice, room.title).getByText("Line 0.", { exact: true }).isVisible();
      },
      { timeout: 60_000 },
    )
    .toBe(true);
  await expect(alice.getByText(strings.timeline.start.heading.O(room.title))).toBeVisible();
  await alice.getByRole("button", { name: strings.timeline.jumpToLatest }).click();
  await expect(timeline(alice, room.title).getByText("Line 129.")).toBeInViewport();
});
