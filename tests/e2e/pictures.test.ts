import type { Locator } from "playwright/test";
import { strings } from "../../app/(demo)/_chat/media/strings.en.ts";
import { type PictureServer, pngOf, startPictureServer } from "../harness/start-picture-server.ts";
import { messageRow, timeline, waitForChannel } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expectNothingSerious } from "./support/expect-nothing-serious.ts";
import { expect, test } from "./support/test.ts";

let pictures: PictureServer;
test.beforeAll(async () => {
  pictures = await startPictureServer();
});
test.afterAll(async () => {
  await pictures.close();
});

const widthOf = (image: Locator) => image.evaluate((element: HTMLImageElement) => element.naturalWidth);

test("a picture in a message is shown by the gateway, and a press shows it large until Escape", async ({
  openAs,
  url,
}) => {
  pictures.serveBytes("/valley.png", pngOf("valley"));
  const room = await createRoom(url, "Picture Room", ["alice", "bob"]);
  await say(room, "bob", `Look here: ![the valley](${pictures.url}/valley.png)`);
  const alice = await openAs("alice", `/chat/${room.id}`);
  const elsewhere: string[] = [];
  alice.on("request", (request) => {
    if (new URL(request.url()).host === pictures.host) elsewhere.push(request.url());
  });
  await alice.reload();
  await waitForChannel(alice, room.title);
  const row = messageRow(timeline(alice, room.title), "Look here");
  const small = row.getByRole("img", { name: "the valley" });
  await expect.poll(() => widthOf(small)).toBe(128);
  expect(await small.getAttribute("src")).toMatch(/\/api\/chat\/pictures\?url=/);
  expect(await small.getAttribute("loading")).toBe("lazy");
  await expectNothingSerious(alice, "a picture");

  const opener = row.getByRole("button", { name: strings.picture.enlarge("the valley") });
  await opener.focus();
  await alice.keyboard.press("Enter");
  const large = alice.getByRole("dialog", { name: strings.picture.label("the valley") });
  await expect.poll(() => widthOf(large.getByRole("img", { name: "the valley" }))).toBe(128);
  await expect(large.getByRole("link", { name: strings.picture.original })).toHaveAttribute(
    "href",
    `${pictures.url}/valley.png`,
  );
  await expectNothingSerious(alice, "a large picture");
  await alice.keyboard.press("Escape");
  await expect(large).toHaveCount(0);
  await expect(opener).toBeFocused();
  expect(elsewhere).toEqual([]);
});

test("a picture has its room before it is there: nothing moves when it comes, and a broken one says so", async ({
  openAs,
  url,
}) => {
  let deliver = () => {};
  const wanted = new Promise<void>((resolve) => {
    deliver = resolve;
  });
  pictures.serve("/slow.png", async (_, outgoing) => {
    await wanted;
    outgoing.writeHead(200).end(pngOf("slow"));
  });
  const room = await createRoom(url, "Steady Room", ["alice", "bob"]);
  await say(room, "bob", `Slowly: ![slow](${pictures.url}/slow.png)`);
  await say(room, "bob", `Never: ![lost valley](${pictures.url}/lost.png)`);
  await say(room, "bob", "the line above the pictures stays");
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  const list = timeline(alice, room.title);
  const broken = messageRow(list, "Never");
  await expect(broken.getByText(strings.picture.broken)).toBeVisible();
  await expect(broken.getByRole("link", { name: "lost valley" })).toHaveAttribute(
    "href",
    `${pictures.url}/lost.png`,
  );
  const slow = messageRow(list, "Slowly");
  await expect(slow.getByRole("img", { name: "slow" })).toBeAttached();
  const before = await slow.boundingBox();
  deliver();
  await expect.poll(() => widthOf(slow.getByRole("img", { name: "slow" }))).toBe(128);
  expect(await slow.boundingBox()).toEqual(before);
});
