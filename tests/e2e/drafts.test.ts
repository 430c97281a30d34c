import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { channelLink, composer, timeline, waitForChannel, write } from "./support/chat-page.ts";
import { createRoom } from "./support/create-room.ts";
import { expect, test } from "./support/test.ts";

test("a channel's draft survives visits to other channels and a reload, until it is sent", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Draft Room", ["alice"]);
  const other = await createRoom(url, "Elsewhere Room", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await composer(alice, room.title).fill("Half a thou");
  await channelLink(alice, other.title).click();
  await expect(composer(alice, other.title)).toHaveValue("");
  // The list shows which channel has a draft.
  await expect(channelLink(alice, room.title)).toContainText(strings.sidebar.draft);
  await expect(channelLink(alice, other.title)).not.toContainText(strings.sidebar.draft);
  await channelLink(alice, room.title).click();
  await expect(composer(alice, room.title)).toHaveValue("Half a thou");
  await alice.reload();
  await expect(composer(alice, room.title)).toHaveValue("Half a thou");

  await write(alice, room.title, "Half a thought more");
  await expect(timeline(alice, room.title).getByText("Half a thought more")).toBeVisible();
  await alice.reload();
  await expect(composer(alice, room.title)).toHaveValue("");
  await channelLink(alice, other.title).click();
  await expect(composer(alice, other.title)).toBeVisible();
  await expect(channelLink(alice, room.title)).not.toContainText(strings.sidebar.draft);
});

test("a draft can still be typed and sent when the browser's storage is full", async ({ openAs, url }) => {
  const room = await createRoom(url, "Full Room", ["alice"]);
  const alice = await openAs("alice", null);
  await alice.addInitScript(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException("The quota has been exceeded.", "QuotaExceededError");
    };
  });
  const errors: string[] = [];
  alice.on("pageerror", ({ message }) => errors.push(message));
  await alice.goto(`/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await composer(alice, room.title).pressSequentially("Said with full pockets");
  await expect(composer(alice, room.title)).toHaveValue("Said with full pockets");
  await composer(alice, room.title).press("Enter");
  await expect(timeline(alice, room.title).getByText("Said with full pockets")).toBeVisible();
  await expect(composer(alice, room.title)).toHaveValue("");
  await alice.reload();
  await expect(timeline(alice, room.title).getByText("Said with full pockets")).toBeVisible();
  expect(errors).toEqual([]);
});
