import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { messageRow, replyBox, threadPanel, timeline } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expect, test } from "./support/test.ts";

test("a thread shows its replies while the inbox of threads does not answer", async ({ openAs, url }) => {
  const room = await createRoom(url, "Unanswered Room", ["alice", "bob"]);
  const root = await say(room, "bob", "Is anybody there?");
  await say(room, "alice", "I am", root.id);
  const alice = await openAs("alice", null);
  await alice.route(/\/api\/chat\/threads\b/, () => undefined);
  await alice.goto(`/chat/${room.id}?thread=${root.id}`);
  await expect(messageRow(threadPanel(alice), "I am")).toBeVisible();
});

test("messages behind a covering thread or panel count as read only after it closes", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Covered Room", ["alice", "bob"]);
  const root = await say(room, "bob", "Shall we?");
  const alice = await openAs("alice", null, { viewport: { width: 390, height: 740 } });
  await alice.clock.install();
  await alice.goto(`/chat/${room.id}?thread=${root.id}`);
  await expect(replyBox(alice)).toBeVisible();
  const views: string[] = [];
  alice.on("request", (request) => {
    if (request.url().endsWith(`/channels/${room.id}/view`)) views.push(request.url());
  });
  const messages = timeline(alice, room.title);
  const readsAfter = async (close: () => Promise<void>, text: string) => {
    await say(room, "bob", text);
    await expect(messages.getByText(text)).toBeVisible();
    await alice.clock.runFor(3_000);
    expect(views).toEqual([]);
    await close();
    await alice.clock.runFor(3_000);
    await expect.poll(() => views.length).toBe(1);
    views.length = 0;
  };
  const closeThread = threadPanel(alice).getByRole("button", { name: strings.thread.close });
  await readsAfter(() => closeThread.click(), "Said behind the thread");
  await alice.keyboard.press("Control+Shift+F");
  await expect(alice.getByRole("searchbox", { name: strings.search.label })).toBeVisible();
  await readsAfter(() => alice.keyboard.press("Escape"), "Said behind the search");
});
