import type { Locator } from "playwright/test";
import { strings } from "../../app/(demo)/_chat/media/strings.en.ts";
import { strings as settings } from "../../app/(demo)/settings/strings.en.ts";
import { type PictureServer, pngOf, startPictureServer } from "../harness/start-picture-server.ts";
import { createApiPerson } from "./support/api-person.ts";
import { boxOf } from "./support/box-of.ts";
import { messageRow, timeline, waitForChannel, write } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expectNothingSerious } from "./support/expect-nothing-serious.ts";
import { startOwnServer } from "./support/own-server.ts";
import { expect, test } from "./support/test.ts";

const html = { "content-type": "text/html" };
const post = "https://peakd.com/hive-100001/@alice/light-in-the-valley";

let site: PictureServer;
test.beforeAll(async () => {
  site = await startPictureServer();
});
test.afterAll(async () => {
  await site.close();
});

/** Returns the card below a message. */
const cardIn = (row: Locator, title: string | RegExp) => row.getByRole("link", { name: title });
const heightOf = async (row: Locator) => (await boxOf(row)).height;

test("a link to a post on the chain shows its title, author and earnings, fetched only from the gateway", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Preview Room", ["alice", "bob"]);
  await say(room, "bob", `Have you seen ${post}?`);
  const alice = await openAs("alice", `/chat/${room.id}`);
  const elsewhere: string[] = [];
  alice.on("request", (request) => {
    if (new URL(request.url()).host !== new URL(url).host) elsewhere.push(request.url());
  });
  await alice.reload();
  const card = cardIn(messageRow(timeline(alice, room.title), "Have you seen"), /Light in the valley/);
  await expect(card).toContainText("peakd.com");
  await expect(card).toContainText("@alice");
  await expect(card).toContainText(strings.preview.pending("12.345 HBD"));
  await expect(card).toHaveAttribute("href", post);
  await expect(card).toHaveAttribute("rel", /noopener noreferrer nofollow/);
  await expectNothingSerious(alice, "a preview");
  await alice.emulateMedia({ colorScheme: "dark" });
  await expectNothingSerious(alice, "a preview, dark");
  expect(elsewhere).toEqual([]);
});

test("a preview reserves its space, so that nothing moves when it arrives", async ({ openAs, url }) => {
  let deliver = () => {};
  const wanted = new Promise<void>((resolve) => {
    deliver = resolve;
  });
  site.serveBytes("/cover.png", pngOf("cover"));
  site.serve("/slow", async (_, outgoing) => {
    await wanted;
    const words = '<title>Slowly</title><meta property="og:image" content="/cover.png">';
    outgoing.writeHead(200, html).end(`${words}<meta name="description" content="But surely">`);
  });
  const room = await createRoom(url, "Steady Previews", ["alice", "bob"]);
  await say(room, "bob", `it comes: ${site.url}/slow`);
  await say(room, "bob", "the line below");
  const alice = await openAs("alice", `/chat/${room.id}`);
  const list = timeline(alice, room.title);
  const row = messageRow(list, "it comes");
  const below = messageRow(list, "the line below");
  await expect(below).toBeVisible();
  await expect.poll(() => site.askedFor("/slow").length).toBe(1);
  const before = [await boxOf(row), await boxOf(below)];
  deliver();
  const card = cardIn(row, /Slowly/);
  await expect(card).toContainText("But surely");
  const picture = card.locator("img");
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(128);
  expect(await picture.getAttribute("src")).toMatch(/\/api\/chat\/pictures\?url=/);
  expect([await boxOf(row), await boxOf(below)]).toEqual(before);
});

test("a link without a preview has no card, and releases its space once out of view", async ({
  openAs,
  url,
}) => {
  let deliver = () => {};
  const wanted = new Promise<void>((resolve) => {
    deliver = resolve;
  });
  site.serve("/lost", async (_, outgoing) => {
    await wanted;
    outgoing.writeHead(404).end();
  });
  const room = await createRoom(url, "Empty Previews", ["alice", "bob"]);
  for (let line = 0; line < 30; line++) await say(room, "alice", `line ${line}`);
  await say(room, "bob", `nothing there: ${site.url}/lost?page=2`);
  await say(room, "bob", "the last line");
  const alice = await openAs("alice", `/chat/${room.id}`);
  const list = timeline(alice, room.title);
  const row = messageRow(list, "nothing there");
  const below = messageRow(list, "the last line");
  await expect(below).toBeVisible();
  await expect.poll(() => site.askedFor("/lost").length).toBe(1);
  const held = [await boxOf(row), await boxOf(below)];
  deliver();
  await expect(row.locator(".animate-pulse")).toHaveCount(0);
  expect([await boxOf(row), await boxOf(below)]).toEqual(held);
  await expect(row.getByRole("link", { name: /\/lost/ })).toHaveCount(1);
  await list.press("Home");
  await expect(messageRow(list, "line 0")).toBeInViewport();
  await list.press("End");
  await expect(below).toBeInViewport();
  await expect.poll(() => heightOf(row)).toBeLessThan(72);
  expect(site.askedFor("/lost")).toHaveLength(1);
});

test("a link's preview is fetched only when its message comes into view", async ({ openAs, url }) => {
  site.serveBytes("/far", "<title>Far up</title>", html);
  const room = await createRoom(url, "Far Previews", ["alice", "bob"]);
  await say(room, "bob", `up here: ${site.url}/far`);
  for (let line = 0; line < 30; line++) await say(room, "alice", `line ${line}`);
  const alice = await openAs("alice", `/chat/${room.id}`);
  const list = timeline(alice, room.title);
  await expect(messageRow(list, "line 29")).toBeVisible();
  expect(site.askedFor("/far")).toEqual([]);
  await list.press("Home");
  await expect(cardIn(messageRow(list, "up here"), /Far up/)).toBeVisible();
});

test("hostile text from a page stays inside its card on a phone", async ({ openAs, url }) => {
  const words = `${"W".repeat(4000)}\u202e${"z\u0303\u0313\u0357".repeat(300)}`;
  site.serveBytes("/hostile", `<title>${words}</title><meta name="description" content="${words}">`, html);
  site.serveBytes("/rtl", "<title>مرحبا بالعالم</title>", html);
  const room = await createRoom(url, "Hostile Previews", ["alice", "bob"]);
  await say(room, "bob", `hostile: ${site.url}/hostile and ${site.url}/rtl`);
  const alice = await openAs("alice", `/chat/${room.id}`, { viewport: { width: 390, height: 844 } });
  const row = messageRow(timeline(alice, room.title), "hostile");
  for (const title of [/WWW/, /مرحبا/]) {
    const card = cardIn(row, title);
    await expect(card).toBeVisible();
    const box = await boxOf(card);
    expect(box.height).toBe(72);
    expect(box.right).toBeLessThanOrEqual(390);
  }
  expect(await alice.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});

test("a reader who turned previews off sees none, and the linked site gets no request", async ({
  openAs,
  url,
}) => {
  site.serveBytes("/unwanted", "<title>Unwanted</title>", html);
  const alice = await openAs("alice", "/settings");
  await alice
    .getByRole("group", { name: settings.previews.title })
    .getByText(settings.previews.names.off, { exact: true })
    .click();
  const room = await createRoom(url, "Quiet Previews", ["alice", "bob"]);
  await say(room, "bob", `unwanted: ${site.url}/unwanted`);
  await alice.goto(`/chat/${room.id}`);
  const row = messageRow(timeline(alice, room.title), "unwanted");
  await expect(row).toBeVisible();
  expect(await heightOf(row)).toBeLessThan(72);
  expect(site.askedFor("/unwanted")).toEqual([]);
});

test("without outside requests pictures stay links, and posts on the chain keep their preview", async ({
  openAs,
}) => {
  const server = await startOwnServer({ OUTSIDE_FETCH: "off", OUTSIDE_PRIVATE_HOSTS: "127.0.0.1" });
  try {
    const owner = await createApiPerson(server.url, "alice", server.mattermostUrl);
    const { id } = await owner.mattermost("POST", "/channels", {
      team_id: server.teamId,
      name: "inner-room",
      display_name: "Inner Room",
      type: "O",
    });
    const alice = await openAs("alice", `/chat/${id}`, { url: server.url });
    await waitForChannel(alice, "Inner Room");
    const asked = site.count();
    await write(
      alice,
      "Inner Room",
      `look: ![the valley](${site.url}/valley.png) ${site.url}/hill.png ${site.url}/page ${post}`,
    );
    const row = messageRow(timeline(alice, "Inner Room"), "look");
    await expect(cardIn(row, /Light in the valley/)).toBeVisible();
    await expect(row.getByRole("link", { name: "the valley", exact: true })).toHaveAttribute(
      "href",
      `${site.url}/valley.png`,
    );
    for (const name of ["the valley", "hill.png"])
      await expect(row.getByRole("button", { name: strings.picture.enlarge(name) })).toHaveCount(0);
    await expect(row.getByText(strings.picture.broken)).toHaveCount(0);
    expect(await heightOf(row)).toBeLessThan(200);
    expect(site.count()).toBe(asked);
  } finally {
    await server.close();
  }
});
