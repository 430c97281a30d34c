import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { createApiPerson } from "./support/api-person.ts";
import { boxOf } from "./support/box-of.ts";
import { composer, messageRow, timeline, waitForChannel } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { fill, line } from "./support/mixed-messages.ts";
import { expect, test } from "./support/test.ts";

// Signs in team members before a page opens. An open page loads users whose pictures arrive, and the tests need
// people that it has not loaded.
test.beforeAll(async ({ url }) => {
  for (const name of ["dave", "erin", "carol"]) await createApiPerson(url, name);
});

test("Enter sends, Shift+Enter inserts a line break, and names and emoji are completed", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Writing Room", ["alice", "bob"]);
  await say(room, "bob", "I am here");
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  const box = composer(alice, room.title);
  await box.pressSequentially("Dear @bo");
  await box.press("Enter");
  await expect(box).toHaveValue("Dear @bob ");
  await box.press("Shift+Enter");
  await box.pressSequentially("well done :tad");
  await box.press("Enter");
  await box.press("Enter");
  const row = messageRow(timeline(alice, room.title), "well done");
  await expect(row).toContainText("🎉");
  await expect(row).toContainText("@bob");
});

test("an early Enter waits for the completion, and text typed later is kept", async ({ openAs, url }) => {
  const room = await createRoom(url, "Hasty Room", ["shop"]);
  const shop = await openAs("shop", `/chat/${room.id}`);
  await waitForChannel(shop, room.title);
  const box = composer(shop, room.title);
  const waiting = new Map<string, () => void>();
  await shop.route(/\/users\/search/, async (route) => {
    const asked = new URL(route.request().url()).searchParams.get("q") ?? "";
    await new Promise<void>((resolve) => waiting.set(asked, resolve));
    await route.continue();
  });
  // A slow machine requests the beginning of a name first, and the rest later.
  const answer = async (name: string) => {
    await expect.poll(() => [...waiting.keys()]).toContain(name);
    for (const go of waiting.values()) go();
    waiting.clear();
  };
  await box.pressSequentially("Dear @dav");
  await box.press("Enter");
  await box.pressSequentially("and all");
  await answer("dav");
  await expect(box).toHaveValue("Dear @dave and all");
  await box.fill("");

  await box.pressSequentially("Welcome @car");
  await box.press("Tab");
  await expect(box).toBeFocused();
  await answer("car");
  await expect(box).toHaveValue("Welcome @carol ");
  await box.fill("");

  await box.pressSequentially("Hi @eri");
  await box.press("Enter");
  await box.press("Enter");
  await box.pressSequentially("next");
  await answer("eri");
  await expect(messageRow(timeline(shop, room.title), "Hi @erin")).toBeVisible();
  await expect(box).toHaveValue("next");
  await box.fill("");

  await box.pressSequentially("Mail me @nobodyhere");
  await box.press("Enter");
  await box.pressSequentially("again");
  await answer("nobodyhere");
  await expect(messageRow(timeline(shop, room.title), "Mail me @nobodyhere")).toBeVisible();
  await expect(box).toHaveValue("again");
  await expect(timeline(shop, room.title).getByText(/@(dav|car|eri)$/)).toHaveCount(0);
});

test("group mentions are also completed, below people and with an explanation", async ({ openAs, url }) => {
  const room = await createRoom(url, "Calling Room", ["alice", "carol"]);
  await say(room, "carol", "Who is there?");
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  const box = composer(alice, room.title);
  await box.pressSequentially("@c");
  const options = alice.getByRole("listbox", { name: strings.composer.suggestions }).getByRole("option");
  await expect(options.first()).toContainText("@carol");
  await expect(options.last()).toContainText(`@channel${strings.composer.everybody.channel}`);
  await box.pressSequentially("h");
  await expect(options).toHaveCount(1);
  await box.press("Enter");
  await expect(box).toHaveValue("@channel ");
});

test("channels of the same name are told apart by their ~names while one is completed", async ({
  openAs,
  url,
}) => {
  const rooms = [
    await createRoom(url, "Twin Room", ["alice", "bob"]),
    await createRoom(url, "Twin Room", ["alice", "bob"]),
    await createRoom(url, "Twin Room", ["bob"]),
  ] as const;
  const title = `Twins ${rooms[0].title} with a name as long as a channel's name may be`.slice(0, 64);
  for (const { id, people } of rooms)
    await people.get("bob")?.mattermost("PUT", `/channels/${id}/patch`, { display_name: title });
  const alice = await openAs("alice", `/chat/${rooms[0].id}`, { viewport: { width: 360, height: 740 } });
  await waitForChannel(alice, title);
  const box = composer(alice, title);
  await box.pressSequentially("See ~twins");
  const options = alice.getByRole("listbox", { name: strings.composer.suggestions }).getByRole("option");
  for (const { name } of rooms) {
    const handle = options.filter({ hasText: title }).getByText(`~${name}`);
    await expect(handle).toBeVisible();
    expect(await handle.evaluate((text) => text.scrollWidth - text.clientWidth)).toBe(0);
  }
  await options.filter({ hasText: `~${rooms[1].name}` }).click();
  await expect(box).toHaveValue(`See ~${rooms[1].name} `);
});

test("a message that mentions more than ten people asks for confirmation, and cancelling loses nothing", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Calling Room", ["alice", "bob"]);
  const alice = await openAs("alice", null);
  await alice.route(`**/channels/${room.id}/posts?*`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), memberCount: 11 } });
  });
  await alice.goto(`/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  const box = composer(alice, room.title);
  const dialog = alice.getByRole("dialog", { name: strings.composer.callTitle(11) });
  await box.fill("Lunch, @channel!");
  await box.press("Enter");
  await dialog.getByRole("button", { name: strings.message.cancel }).click();
  await expect(dialog).toBeHidden();
  await expect(box).toHaveValue("Lunch, @channel!");
  await box.press("Enter");
  await dialog.getByRole("button", { name: strings.composer.callSend }).click();
  await expect(messageRow(timeline(alice, room.title), "Lunch, @channel!")).toHaveCount(1);
  await expect(box).toHaveValue("");
  // Code mentions no one.
  await box.fill("Write `@channel` for it");
  await box.press("Enter");
  await expect(messageRow(timeline(alice, room.title), "for it")).toBeVisible();
  await expect(dialog).toBeHidden();
});

test("a message to ten people is sent without confirmation, and completion lists the user's own name last", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Small Room", ["alice", "bob"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  const box = composer(alice, room.title);
  await box.fill("@here, quickly");
  await box.press("Enter");
  await expect(messageRow(timeline(alice, room.title), "quickly")).toBeVisible();
  await box.fill("@");
  const options = alice.getByRole("listbox", { name: strings.composer.suggestions }).getByRole("option");
  await expect(options.first()).toBeVisible();
  await expect(options.first()).not.toContainText("@alice");
  await box.fill("@alic");
  await expect(options.first()).toHaveText(/@alice/);
});

test("the emoji picker leaves the draft in view on phones and in short windows", async ({ openAs, url }) => {
  const room = await createRoom(url, "Picking Room", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`, { viewport: { width: 390, height: 844 } });
  await waitForChannel(alice, room.title);
  const box = composer(alice, room.title);
  await box.fill("What I am about to say");
  const button = alice.getByRole("button", { name: strings.composer.emoji, exact: true });
  const picker = alice.getByRole("dialog", { name: strings.composer.emoji });
  for (const height of [844, 480]) {
    await alice.setViewportSize({ width: 390, height });
    await button.click();
    await expect(picker.getByRole("searchbox")).toBeVisible();
    await expect.poll(async () => (await boxOf(picker)).bottom <= (await boxOf(box)).y).toBe(true);
    expect((await boxOf(picker)).y).toBeGreaterThanOrEqual(0);
    await alice.keyboard.press("Escape");
    await expect(picker).toBeHidden();
  }
});

/** Makes a page believe that its browser cannot fit a field to its text, as older ones cannot. */
function withoutFieldSizing(): void {
  const supports = CSS.supports.bind(CSS);
  CSS.supports = (property: string, value?: string) =>
    property !== "field-sizing" && (value === undefined ? supports(property) : supports(property, value));
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("textarea { field-sizing: fixed !important }");
  document.adoptedStyleSheets = [sheet];
}

for (const [browser, prepare] of [
  ["this browser", null],
  ["a browser without field-sizing", withoutFieldSizing],
] as const)
  test(`in ${browser} the field grows with its text up to ten lines and shrinks again, with the newest message in view`, async ({
    openAs,
    url,
  }) => {
    const room = await createRoom(url, "Growing Room", ["alice", "bob"]);
    await fill(room, 0, 30);
    await room.people.get("alice")?.chat("POST", `/channels/${room.id}/view`);
    // A window with options of its own is not used by later tests.
    const alice = await openAs("alice", null, { colorScheme: "light" });
    if (prepare) await alice.addInitScript(prepare);
    await alice.goto(`/chat/${room.id}`);
    const list = timeline(alice, room.title);
    const box = composer(alice, room.title);
    await expect(line(list, 29)).toBeInViewport();
    const heightOf = async () => Math.round((await boxOf(box)).height);
    const one = await heightOf();
    await box.fill("a\nb");
    const lineHeight = (await heightOf()) - one;
    expect(lineHeight).toBeGreaterThan(15);
    for (const [text, lines] of [
      ["a\nb\nc\nd", 4],
      ["a\nb\nc\ne", 4],
      ["a\nb\n", 3],
      ["a\n".repeat(30), 10],
      ["", 1],
      ["word ".repeat(600), 10],
      ["short", 1],
    ] as const) {
      await box.fill(text);
      await expect.poll(heightOf).toBe(one + (lines - 1) * lineHeight);
      await expect(line(list, 29)).toBeInViewport();
    }
  });
