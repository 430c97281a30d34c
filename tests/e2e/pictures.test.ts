import type { Locator } from "playwright/test";
import { strings } from "../../app/(demo)/_chat/media/strings.en.ts";
import { type PictureServer, pngOf, startPictureServer } from "../harness/start-picture-server.ts";
import { boxOf } from "./support/box-of.ts";
import { composer, messageRow, timeline, waitForChannel } from "./support/chat-page.ts";
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

test("the gateway serves a message's picture, and a press enlarges it until Escape", async ({
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

test("a bare picture address shows the picture below it, or the page's card if it leads to a page", async ({
  openAs,
  url,
}) => {
  pictures.serveBytes("/two%20hills.png", pngOf("hills"));
  pictures.serveBytes("/page.png", "<title>A page about hills</title>", { "content-type": "text/html" });
  const room = await createRoom(url, "Bare Room", ["alice", "bob"]);
  const address = `${pictures.url}/two%20hills.png`;
  await say(room, "bob", `Seen: ${address}`);
  await say(room, "bob", `Read: ${pictures.url}/page.png`);
  const alice = await openAs("alice", `/chat/${room.id}`);
  const elsewhere: string[] = [];
  alice.on("request", (request) => {
    if (new URL(request.url()).host === pictures.host) elsewhere.push(request.url());
  });
  await alice.reload();
  await waitForChannel(alice, room.title);
  const row = messageRow(timeline(alice, room.title), "Seen");
  const picture = row.getByRole("img", { name: "two hills.png" });
  await expect.poll(() => widthOf(picture)).toBe(128);
  await expect(row.getByRole("link", { name: address })).toHaveAttribute("href", address);
  await row.getByRole("button", { name: strings.picture.enlarge("two hills.png") }).click();
  const large = alice.getByRole("dialog", { name: strings.picture.label("two hills.png") });
  await expect(large.getByRole("link", { name: strings.picture.original })).toHaveAttribute("href", address);
  await alice.keyboard.press("Escape");
  const page = messageRow(timeline(alice, room.title), "Read");
  await expect(page.getByRole("link", { name: /A page about hills/ })).toBeVisible();
  await expect(page.getByText(strings.picture.broken)).toHaveCount(0);
  expect(elsewhere).toEqual([]);
});

test("a picture reserves its space, so that nothing moves when it arrives, and one that fails becomes a link", async ({
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
  const before = await boxOf(slow);
  deliver();
  await expect.poll(() => widthOf(slow.getByRole("img", { name: "slow" }))).toBe(128);
  expect(await boxOf(slow)).toEqual(before);
});

test("arrow keys and buttons cycle through the pictures of a message", async ({ openAs, url }) => {
  const names = ["dawn", "noon", "dusk"];
  for (const name of names) pictures.serveBytes(`/${name}.png`, pngOf(name));
  const room = await createRoom(url, "Album Room", ["alice", "bob"]);
  await say(room, "bob", `Another day: ![before](${pictures.url}/dawn.png)`);
  const shownNames = names.map((name) => `![${name}](${pictures.url}/${name}.png)`);
  await say(room, "bob", ["The whole day:", ...shownNames].join("\n"));
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  const row = messageRow(timeline(alice, room.title), "The whole day");
  const opener = row.getByRole("button", { name: strings.picture.enlarge("noon") });
  await opener.press("Enter");
  const shown = (name: string) => alice.getByRole("dialog", { name: strings.picture.label(name) });
  await expect(shown("noon").getByText(strings.picture.place(2, 3))).toBeVisible();
  await alice.keyboard.press("ArrowRight");
  await expect.poll(() => widthOf(shown("dusk").getByRole("img", { name: "dusk" }))).toBe(128);
  await alice.keyboard.press("ArrowRight");
  await expect(shown("dawn").getByText(strings.picture.place(1, 3))).toBeVisible();
  await alice.keyboard.press("ArrowLeft");
  await expect(shown("dusk")).toBeVisible();
  await shown("dusk").getByRole("button", { name: strings.picture.previous }).click();
  await expect(shown("noon")).toBeVisible();
  await shown("noon").getByRole("button", { name: strings.picture.next }).click();
  await expect(shown("dusk").getByRole("link", { name: strings.picture.original })).toHaveAttribute(
    "href",
    `${pictures.url}/dusk.png`,
  );
  await expectNothingSerious(alice, "one of several pictures");
  await alice.evaluate(() => {
    document.documentElement.dir = "rtl";
  });
  await alice.keyboard.press("ArrowRight");
  await expect(shown("noon")).toBeVisible();
  await alice.keyboard.press("Escape");
  await expect(opener).toBeFocused();
  await messageRow(timeline(alice, room.title), "Another day")
    .getByRole("button", { name: strings.picture.enlarge("before") })
    .press("Enter");
  await expect(shown("before")).toBeVisible();
  await expect(shown("before").getByRole("button", { name: strings.picture.next })).toHaveCount(0);
});

test("pictures of different heights share one row, and a small one is not enlarged", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Unlike Room", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  const drawn = (width: number, height: number) =>
    alice.evaluate(
      ([width, height]) => {
        const canvas = Object.assign(document.createElement("canvas"), { width, height });
        canvas.getContext("2d")?.fillRect(0, 0, width, height);
        return canvas.toDataURL("image/png").split(",")[1] ?? "";
      },
      [width, height] as const,
    );
  const png = async (name: string, width: number, height: number) => ({
    name,
    mimeType: "image/png",
    buffer: Buffer.from(await drawn(width, height), "base64"),
  });
  await alice
    .locator("input[type=file]")
    .setInputFiles([
      await png("flat.png", 480, 120),
      await png("high.png", 240, 360),
      await png("tiny.png", 24, 24),
    ]);
  await expect(alice.getByRole("img", { name: "tiny" })).toBeVisible();
  await composer(alice, room.title).fill("Three of a kind");
  await composer(alice, room.title).press("Enter");
  const row = messageRow(timeline(alice, room.title), "Three of a kind");
  const pictureBox = async (name: string) => {
    const image = row.getByRole("img", { name });
    await expect(image).toHaveCSS("opacity", "1");
    return boxOf(image);
  };
  const [flat, high] = [await pictureBox("flat.png"), await pictureBox("high.png")];
  expect(flat.y).toBe(high.y);
  expect([flat.width, flat.height, high.width, high.height]).toEqual([240, 60, 120, 180]);
  await expect(row.getByRole("img", { name: "tiny.png" })).toHaveCSS("object-fit", "scale-down");
});
