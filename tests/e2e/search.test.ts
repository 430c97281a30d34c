import { panels } from "../../app/_languages/es/chat-panels.ts";
import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { composer, sidebar, timeline, waitForChannel } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expectNothingSeriousInBothThemes } from "./support/expect-nothing-serious.ts";
import { holdScripts } from "./support/hold-scripts.ts";
import { expect, test } from "./support/test.ts";

const { search } = strings;

test("text typed before the search loads appears in the search and never in the composer", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Eager Room", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await expect(composer(alice, room.title)).toBeFocused();
  const release = await holdScripts(alice);
  await alice.keyboard.press("Control+Shift+F");
  await alice.keyboard.type("lan");
  release();
  const panel = alice.getByRole("complementary", { name: search.title });
  const field = panel.getByRole("searchbox", { name: search.label });
  await expect(field).toBeFocused();
  await alice.keyboard.type("tern");
  await expect(field).toHaveValue("lantern");
  await alice.keyboard.press("Escape");
  await expect(panel).toBeHidden();
  await expect(composer(alice, room.title)).toBeFocused();
  await expect(composer(alice, room.title)).toHaveValue("");
});

test("a search lists messages newest first, marks the words, and opens a message in context", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Archive Room", ["alice", "bob"]);
  await say(room, "bob", "The first zanzibar of all");
  for (let index = 0; index < 60; index++) await say(room, "bob", `Nothing to see here, number ${index}`);
  await say(room, "bob", "Another zanzibar");
  const alice = await openAs("alice", "/chat");
  await expect(alice.getByRole("button", { name: strings.account.menu("alice") })).toBeVisible();
  await alice.keyboard.press("Control+Shift+F");
  const panel = alice.getByRole("complementary", { name: search.title });
  await expect(panel.getByRole("searchbox", { name: search.label })).toBeFocused();
  await alice.keyboard.type("zanzibar");
  const found = panel.getByRole("list", { name: search.title }).getByRole("listitem");
  await expect(found).toHaveCount(2);
  await expect(found.first()).toContainText("Another");
  await expect(found.first()).toContainText(room.title);
  await expect(found.first().locator("mark")).toHaveText("zanzibar");

  await found.last().getByRole("link").click();
  await expect(alice).toHaveURL(new RegExp(`/chat/${room.id}\\?post=`));
  await expect(timeline(alice, room.title).getByText("The first zanzibar of all")).toBeInViewport();
  await expect(panel).toBeVisible();
});

test("mentions of the user or of everyone can be opened from the sidebar and from the search", async ({
  openAs,
  url,
}) => {
  const { mentions } = strings;
  const room = await createRoom(url, "Named Room", ["alice", "erin"]);
  await say(room, "alice", "A word for @erin alone");
  const news = "News for @all of you";
  await say(room, "alice", news);
  await say(room, "alice", "Whoever is @here may come");
  await say(room, "alice", "A word for nobody, with `@erin` in code, here and for all");
  await say(room, "erin", "I call @channel myself");
  const erin = await openAs("erin", `/chat/${room.id}`);
  await waitForChannel(erin, room.title);
  const row = sidebar(erin).getByRole("button", { name: mentions.title });
  await row.press("Enter");
  await expect(row).toHaveAttribute("aria-expanded", "true");
  const panel = erin.getByRole("complementary", { name: mentions.title });
  const found = panel.getByRole("link").filter({ hasText: room.title });
  await expect(found).toHaveCount(3);
  await expect(found.first()).toContainText("@here");
  await expect(found.last().locator("mark")).toHaveText("@erin");
  await expectNothingSeriousInBothThemes(erin, "mentions");
  // A message that arrives while the list is open is added, and counts in the row until it is read.
  const before = (await row.textContent()) ?? "";
  const other = await createRoom(url, "Other Named Room", ["alice", "erin"]);
  await say(other, "alice", "Over here, @erin");
  await expect(panel.getByRole("link", { name: /Over here, @erin/ })).toBeVisible();
  await expect(row).toContainText(/\d mentions?$/);
  await expect(row).not.toHaveText(before);
  await found.filter({ hasText: "News for" }).click();
  await expect(timeline(erin, room.title).getByText(news)).toBeInViewport();
  await erin.keyboard.press("Control+Shift+F");
  await erin.getByRole("button", { name: search.mentions }).click();
  await expect(found.last()).toBeVisible();
  await erin.route("**/search/posts", (route) =>
    route.fulfill({ json: { posts: [], users: {}, channels: {} } }),
  );
  await erin.reload();
  await row.click();
  await expect(panel.getByRole("status")).toHaveText(mentions.none("erin"));
});

test("the search's hint contains examples of from: and in: that find messages", async ({ openAs }) => {
  const alice = await openAs("alice", "/chat");
  await expect(alice.getByRole("button", { name: strings.account.menu("alice") })).toBeVisible();
  await alice.keyboard.press("Control+Shift+F");
  const box = alice.getByRole("searchbox", { name: search.label });
  for (const hint of [search.hint, panels.search?.hint ?? ""]) {
    const filters = hint.match(/[a-z]+:[^\s,.]+/g) ?? [];
    expect(filters.map((filter) => filter.split(":")[0])).toEqual(["from", "in", "before"]);
    expect(filters.at(-1)).toMatch(/^before:\d{4}-\d{2}-\d{2}$/);
    await box.fill("");
    await expect(alice.getByText(search.start)).toBeVisible();
    await box.fill(filters.slice(0, 2).join(" "));
    await expect(alice.getByRole("list", { name: search.title }).getByRole("listitem").first()).toBeVisible();
  }
});

test("a search matches words by prefix", async ({ openAs, url }) => {
  const room = await createRoom(url, "Prefix Room", ["alice"]);
  await say(room, "alice", "Next week: the vicuñathon");
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await alice.keyboard.press("Control+Shift+F");
  await alice.getByRole("searchbox", { name: search.label }).fill("vicuñ");
  const found = alice.getByRole("list", { name: search.title }).getByRole("listitem");
  await expect(found).toHaveCount(1);
  await expect(found.locator("mark")).toHaveText("vicuñ");
});

test("Japanese and Chinese are found in the latest messages if the server can't find them", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Script Room", ["alice", "bob"]);
  await say(room, "bob", "明日は勉強会があります");
  await say(room, "bob", "我们下周讨论这个问题");
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await alice.keyboard.press("Control+Shift+F");
  const box = alice.getByRole("searchbox", { name: search.label });
  for (const [word, message] of [
    ["勉強", "明日は勉強会があります"],
    ["讨论", "我们下周讨论这个问题"],
    ["会", "明日は勉強会があります"],
  ] as const) {
    await box.fill(word);
    await expect(alice.getByText(search.unspaced)).toBeVisible();
    await alice.getByRole("button", { name: search.lookThrough }).click();
    const found = alice.getByRole("list", { name: search.recent }).getByRole("listitem");
    await expect(found.first()).toContainText(message);
    await expect(found.first().locator("mark")).toHaveText(word);
  }
  await box.fill("nowhere-said");
  await alice.getByRole("button", { name: search.lookThrough }).click();
  await expect(alice.getByText(search.noneRecent)).toBeVisible();
});

test("a search through the latest messages respects excluded people, channels and words", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Sifted Room", ["alice", "bob"]);
  await say(room, "alice", "今日の実験は成功");
  await say(room, "bob", "昨日の実験は失敗");
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await alice.keyboard.press("Control+Shift+F");
  const box = alice.getByRole("searchbox", { name: search.label });
  const found = alice.getByRole("list", { name: search.recent }).getByRole("listitem");
  for (const excluded of ["-from:bob", "-失敗"]) {
    await box.fill(`実験 ${excluded}`);
    await alice.getByRole("button", { name: search.lookThrough }).click();
    await expect(found).toHaveText([/成功/]);
  }
  await box.fill(`実験 -in:"${room.title}"`);
  await alice.getByRole("button", { name: search.lookThrough }).click();
  await expect(alice.getByText(search.noneRecent)).toBeVisible();
});

test("an unfinished from: or in: suggests names and keeps the results so far", async ({ openAs, url }) => {
  const room = await createRoom(url, "Begun Room", ["alice", "bob"]);
  await say(room, "bob", "A capybara at last");
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await alice.keyboard.press("Control+Shift+F");
  const box = alice.getByRole("searchbox", { name: search.label });
  const found = alice.getByRole("list", { name: search.title }).getByRole("listitem");
  for (const term of ["from:", "in:", "from:bo"]) {
    await box.fill(term);
    await expect(alice.getByText(search.unfinished)).toBeVisible();
    await expect(alice.getByText(search.none(term))).toHaveCount(0);
  }
  await box.fill("capybara");
  await expect(found).toHaveText([/at last/]);
  await alice.keyboard.type(" from:");
  await expect(alice.getByRole("group", { name: search.names })).toBeVisible();
  await expect(found).toHaveText([/at last/]);
  await alice.keyboard.type("bob");
  await expect(found).toHaveText([/at last/]);
  await expect(alice.getByText(search.unfinished)).toHaveCount(0);
});

test("in: completes and accepts the name of a conversation's partner", async ({ openAs, url }) => {
  const room = await createRoom(url, "Elsewhere", ["alice", "bob"]);
  await say(room, "bob", "An okapi in the room");
  const bob = room.people.get("bob");
  if (!bob) throw new Error("bob is in the room");
  const { channelId } = await bob.chat("POST", "/direct", { username: "alice" });
  await bob.chat("POST", `/channels/${channelId}/posts`, { message: "An okapi between us" });
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await alice.keyboard.press("Control+Shift+F");
  const box = alice.getByRole("searchbox", { name: search.label });
  const found = alice.getByRole("list", { name: search.title }).getByRole("listitem");
  await box.fill("okapi");
  await expect(found.filter({ hasText: "An okapi in the room" })).toBeVisible();
  await box.fill("okapi in:@bo");
  await alice.getByRole("group", { name: search.names }).getByRole("button", { name: "@bob" }).click();
  await expect(box).toHaveValue("okapi in:@bob ");
  await expect(found.filter({ hasText: "An okapi in the room" })).toHaveCount(0);
  await expect(found.filter({ hasText: "An okapi between us" }).first()).toBeVisible();
});

test("in: and from: accept titles and complete partial input", async ({ openAs, url }) => {
  const room = await createRoom(url, "Narrow Lane", ["alice", "bob"]);
  const other = await createRoom(url, "Broad Street", ["alice", "bob"]);
  await say(room, "bob", "A tapir in the lane");
  await say(other, "bob", "A tapir in the street");
  await say(room, "alice", "A tapir of my own");
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await alice.keyboard.press("Control+Shift+F");
  const box = alice.getByRole("searchbox", { name: search.label });
  const found = alice.getByRole("list", { name: search.title }).getByRole("listitem");
  await box.fill(`tapir in:${room.title}`);
  await expect(found).toHaveCount(2);
  await box.fill(`tapir in:${room.title.slice(0, -2)}`);
  const names = alice.getByRole("group", { name: search.names });
  await names.getByRole("button", { name: room.title }).press("Enter");
  await expect(box).toBeFocused();
  await alice.keyboard.type("from:bo");
  await names.getByRole("button", { name: "@bob" }).click();
  await expect(box).toHaveValue(/ from:bob $/);
  await expect(found).toHaveCount(1);
  await expect(found).toContainText("in the lane");
});

test("in: tells channels of the same name apart by their ~names", async ({ openAs, url }) => {
  const rooms = [
    await createRoom(url, "Search Twin", ["alice"]),
    await createRoom(url, "Search Twin", ["alice"]),
  ] as const;
  const title = `Twin ${rooms[0].title} with a name as long as a channel's name may be`.slice(0, 60);
  for (const { id, people } of rooms)
    await people.get("alice")?.mattermost("PUT", `/channels/${id}/patch`, { display_name: title });
  const alice = await openAs("alice", `/chat/${rooms[0].id}`, { viewport: { width: 360, height: 740 } });
  await waitForChannel(alice, title);
  await alice.keyboard.press("Control+Shift+F");
  const box = alice.getByRole("searchbox", { name: search.label });
  await box.fill("in:Twin");
  const names = alice.getByRole("group", { name: search.names }).getByRole("button", { name: title });
  for (const { name } of rooms) {
    const handle = names.getByText(`~${name}`);
    await expect(handle).toBeVisible();
    expect(await handle.evaluate((text) => text.scrollWidth - text.clientWidth)).toBe(0);
  }
  await names.filter({ hasText: `~${rooms[1].name}` }).click();
  await expect(box).toHaveValue(`in:${rooms[1].name} `);
});

test("from: completes and accepts the names of people not seen before", async ({ openAs, url }) => {
  const quiet = await createRoom(url, "Quiet Lane", ["alice"]);
  const room = await createRoom(url, "Stranger Lane", ["alice", "bob", "erin"]);
  await say(room, "erin", "An okapi of a stranger");
  await say(room, "bob", "An okapi of somebody else");
  const erin = room.people.get("erin");
  const call = (first_name: string, last_name: string) =>
    erin?.mattermost("PUT", "/users/me/patch", { first_name, last_name });
  await call("Zenobia", "Zwick");
  const alice = await openAs("alice", `/chat/${quiet.id}`);
  await waitForChannel(alice, quiet.title);
  await alice.keyboard.press("Control+Shift+F");
  const box = alice.getByRole("searchbox", { name: search.label });
  const found = alice.getByRole("list", { name: search.title }).getByRole("listitem");
  await box.fill("okapi from:Zenobia Zwick");
  await expect(found).toHaveText(/of a stranger/);
  await alice.reload();
  await waitForChannel(alice, quiet.title);
  await alice.keyboard.press("Control+Shift+F");
  await box.fill("okapi from:zeno");
  await alice.getByRole("group", { name: search.names }).getByRole("button", { name: "@erin" }).click();
  await expect(box).toHaveValue("okapi from:erin ");
  await expect(found).toHaveText(/of a stranger/);
  await call("", "");
});

test("further results load on demand", async ({ openAs, url }) => {
  const room = await createRoom(url, "Crowded Room", ["alice"]);
  for (let index = 0; index < 25; index++) await say(room, "alice", `marmalade ${index}`);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await alice.keyboard.press("Control+Shift+F");
  await expect(alice.getByRole("searchbox", { name: search.label })).toBeFocused();
  await alice.keyboard.type("marmalade");
  const list = alice.getByRole("list", { name: search.title });
  await expect(list.getByRole("listitem")).toHaveCount(20);
  await alice.getByRole("button", { name: search.more }).click();
  await expect(list.getByRole("listitem")).toHaveCount(25);
  await expect(alice.getByRole("button", { name: search.more })).toBeHidden();
});

test("a search says if it finds nothing or fails, and can be retried", async ({ openAs }) => {
  const alice = await openAs("alice", "/chat");
  await expect(alice.getByRole("button", { name: strings.account.menu("alice") })).toBeVisible();
  await alice.keyboard.press("Control+Shift+F");
  await expect(alice.getByText(search.start)).toBeVisible();
  const box = alice.getByRole("searchbox", { name: search.label });
  await box.fill("xylophone-nobody-plays");
  await expect(alice.getByText(search.none("xylophone-nobody-plays"))).toBeVisible();
  await alice.route("**/search/posts", (route) =>
    route.fulfill({ status: 400, json: { error: "No.", code: "invalid_request" } }),
  );
  await box.fill("coffee");
  const failure = alice.getByRole("alert").filter({ hasText: search.failed });
  await expect(failure).toBeVisible();
  await alice.unroute("**/search/posts");
  await failure.getByRole("button", { name: strings.failed.retry }).click();
  await expect(alice.getByRole("list", { name: search.title }).getByText(/Coffee first/i)).toBeVisible();
});

test("on a phone the search covers the screen until a message is chosen", async ({ openAs, url }) => {
  const room = await createRoom(url, "Pocket Room", ["alice"]);
  await say(room, "alice", "A numbat in the garden");
  const alice = await openAs("alice", `/chat/${room.id}`, { viewport: { width: 360, height: 740 } });
  await waitForChannel(alice, room.title);
  await alice.getByRole("button", { name: strings.channel.search }).click();
  const panel = alice.getByRole("dialog", { name: search.title });
  await alice.getByRole("searchbox", { name: search.label }).fill("numbat");
  await panel.getByRole("link", { name: /numbat/ }).click();
  await expect(panel).toBeHidden();
  await expect(timeline(alice, room.title).getByText("A numbat in the garden")).toBeInViewport();
});

test("search results look like messages in the timeline, with the found words marked", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Formatted Room", ["alice", "bob"]);
  const before = "Nothing of it in here.\n".repeat(12);
  await say(
    room,
    "bob",
    `${before}Some **bold wombat** in \`code\`, [told here](https://example.com/wombat) :tada:`,
  );
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await alice.keyboard.press("Control+Shift+F");
  await alice.getByRole("searchbox", { name: search.label }).fill("wombat");
  const found = alice.getByRole("list", { name: search.title }).getByRole("listitem");
  await expect(found).toHaveCount(1);
  await expect(found.locator("strong mark")).toHaveText("wombat");
  await expect(found.locator("code")).toHaveText("code");
  await expect(found.locator("mark")).toBeInViewport();
  await expect(found).toContainText("told here 🎉");
  for (const sign of ["**", "`", "](", "example.com"]) await expect(found).not.toContainText(sign);
  await expect(found.getByRole("link")).toHaveCount(1);
});
