import { strings as chat } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as pay } from "../../app/(demo)/_pay/strings.en.ts";
import { tipNotes } from "../../lib/demo-shop/tell-tip.ts";
import { createApiPerson } from "./support/api-person.ts";
import { composer, messageRow, pressOnMessage, timeline, waitForChannel } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { payAs } from "./support/pay-as.ts";
import { expect, test } from "./support/test.ts";

/** Time for a few blocks, each of which takes three seconds. */
const SETTLED = { timeout: 90_000 };

test("the recipient of a tip gets one message about it, with a link to the tipped message", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Told Tip Room", ["alice", "bob"]);
  const post = await say(room, "bob", "Worth a tip");
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await pressOnMessage(messageRow(timeline(alice, room.title), "Worth a tip"), chat.message.tip);
  await payAs(alice, "alice", "0.010 HBD");
  await expect(alice.getByText(pay.tip.done("0.010 HBD", "bob"))).toBeVisible(SETTLED);
  const bob = await createApiPerson(url, "bob");
  const { channelId } = await bob.chat("POST", "/direct", { username: "alice" });
  const notes = async () => {
    const { posts } = await bob.chat("GET", `/channels/${channelId}/posts`);
    return posts
      .map(({ message }: { message: string }) => message)
      .filter((text: string) => text.includes(post.id));
  };
  const link = `${url}/chat/${room.id}?post=${post.id}`;
  await expect.poll(notes).toEqual([tipNotes.en("0.010 HBD", "alice", link)]);
});

test("a paid /tip leaves a line in the channel where it was typed", async ({ openAs, url }) => {
  const room = await createRoom(url, "Tip Line Room", ["alice", "bob"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  const line = messageRow(timeline(alice, room.title), chat.composer.tipped("bob", "0.050 HBD", null));
  const box = composer(alice, room.title);
  await box.fill("/tip @bob 0.05");
  await box.press("Enter");
  await expect(alice.getByRole("button", { name: pay.pay("0.050 HBD") })).toBeVisible();
  await expect(line).toHaveCount(0);
  await payAs(alice, "alice", "0.050 HBD");
  await expect(alice.getByText(pay.tip.done("0.050 HBD", "bob"))).toBeVisible(SETTLED);
  await alice.getByRole("button", { name: pay.tip.close }).click();
  await expect(line).toHaveCount(1);
});

test("the recipient of a /tip outside their channels gets a direct message", async ({ openAs, url }) => {
  const room = await createRoom(url, "Tip Away Room", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  const box = composer(alice, room.title);
  await box.fill("/tip @bob 0.07");
  await box.press("Enter");
  await payAs(alice, "alice", "0.070 HBD");
  await expect(alice.getByText(pay.tip.done("0.070 HBD", "bob"))).toBeVisible(SETTLED);
  const bob = await createApiPerson(url, "bob");
  const { channelId } = await bob.chat("POST", "/direct", { username: "alice" });
  const notes = async () => {
    const { posts } = await bob.chat("GET", `/channels/${channelId}/posts`);
    return posts.map(({ message }: { message: string }) => message);
  };
  await expect.poll(notes).toContain(tipNotes.en("0.070 HBD", "alice", null));
});
