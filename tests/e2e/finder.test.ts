import type { Route } from "playwright/test";
import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { problemTexts } from "../../app/(demo)/_session/problem-texts.en.ts";
import { channelLink, composer, finderBox, timeline, waitForChannel } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { holdScripts } from "./support/hold-scripts.ts";
import { mattermostAnswers } from "./support/outside-team.ts";
import { expect, test } from "./support/test.ts";

const { finder } = strings;

test("the finder opens a channel by a few letters, using only the keyboard", async ({ openAs, url }) => {
  const room = await createRoom(url, "Lighthouse Keepers", ["alice"]);
  const alice = await openAs("alice", "/chat");
  await expect(alice.getByRole("button", { name: strings.account.menu("alice") })).toBeVisible();
  await alice.keyboard.press("Control+k");
  await expect(alice.getByRole("dialog", { name: finder.title })).toBeVisible();
  await expect(finderBox(alice)).toBeFocused();
  await expect(finderBox(alice).locator("..")).toHaveCSS("outline-style", "solid");
  await alice.keyboard.type("lightho");
  await expect(alice.getByRole("option", { name: room.title })).toHaveAttribute("aria-selected", "true");
  await alice.keyboard.press("Enter");
  await expect(timeline(alice, room.title)).toBeVisible();
  await expect(alice.getByRole("dialog", { name: finder.title })).toBeHidden();
});

test("the finder lists names that begin with the query before names that contain it", async ({
  openAs,
  url,
}) => {
  const begins = await createRoom(url, "Wombat Nodes", ["alice"]);
  const contains = await createRoom(url, "Kowombatty News", ["alice"]);
  // The channel that only contains the query is the more recent one.
  await say(contains, "alice", "Something new");
  const alice = await openAs("alice", "/chat");
  await expect(alice.getByRole("button", { name: strings.account.menu("alice") })).toBeVisible();
  await alice.keyboard.press("Control+k");
  await alice.keyboard.type("wombat");
  const found = alice.getByRole("group", { name: finder.yours }).getByRole("option");
  await expect(found).toHaveCount(2);
  await expect(found.first()).toContainText(begins.title);
});

test("the finder tells channels of the same name apart by their ~names", async ({ openAs, url }) => {
  const rooms = [
    await createRoom(url, "Finder Twin", ["alice", "bob"]),
    await createRoom(url, "Finder Twin", ["alice", "bob"]),
    await createRoom(url, "Finder Twin", ["bob"]),
  ] as const;
  const title = `Twin ${rooms[0].title} with a name as long as a channel's name may be`.slice(0, 60);
  for (const { id, people } of rooms)
    await people.get("bob")?.mattermost("PUT", `/channels/${id}/patch`, { display_name: title });
  const alice = await openAs("alice", "/chat", { viewport: { width: 360, height: 740 } });
  await expect(alice.getByRole("button", { name: strings.account.menu("alice") })).toBeVisible();
  await alice.keyboard.press("Control+k");
  await finderBox(alice).fill(`Twin ${rooms[0].title}`);
  const options = alice.getByRole("option", { name: title });
  await expect(options).toHaveCount(3);
  for (const { name } of rooms) {
    const handle = options.getByText(`~${name}`);
    await expect(handle).toBeVisible();
    expect(await handle.evaluate((text) => text.scrollWidth - text.clientWidth)).toBe(0);
  }
  await options.filter({ hasText: `~${rooms[1].name}` }).click();
  await expect(alice).toHaveURL(`/chat/${rooms[1].id}`);
  await waitForChannel(alice, title);
});

test("text typed before the finder loads appears in the finder and never in the composer", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Patience", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  const written = composer(alice, room.title);
  await expect(written).toBeFocused();
  const release = await holdScripts(alice);
  await alice.keyboard.press("Control+k");
  await alice.keyboard.type("given up");
  await alice.keyboard.press("Escape");
  await expect(written).toBeFocused();
  await alice.keyboard.press("Control+k");
  await alice.keyboard.type("pati");
  release();
  await expect(alice.getByRole("dialog", { name: finder.title })).toBeVisible();
  await expect(finderBox(alice)).toBeFocused();
  await alice.keyboard.type("ence");
  await expect(finderBox(alice)).toHaveValue("patience");
  await alice.keyboard.press("Escape");
  await expect(written).toBeFocused();
  await expect(written).toHaveValue("");
});

test("Enter opens the result, not the conversation that was offered before the answer arrived", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Quokka", ["alice"]);
  const erin = await openAs("erin", "/chat");
  let answer = () => {};
  const isAnswered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await erin.route("**/channels/public?*", async (route) => {
    await isAnswered;
    await route.continue();
  });
  await erin.getByRole("button", { name: strings.sidebar.find }).click();
  await finderBox(erin).fill("quokka");
  const offered = erin.getByRole("option", { name: finder.start("quokka") });
  await expect(offered).toHaveAttribute("aria-selected", "true");
  answer();
  const found = erin.getByRole("option", { name: room.title });
  await expect(found).toHaveAttribute("aria-selected", "true");
  await expect(finderBox(erin)).toHaveAttribute(
    "aria-activedescendant",
    (await found.getAttribute("id")) ?? "",
  );
  await expect(offered).toHaveAttribute("aria-selected", "false");
  await finderBox(erin).press("Enter");
  await expect(erin).toHaveURL(`/chat/${room.id}`);
});

test("the finder starts a conversation with a chain account that has never signed in", async ({ openAs }) => {
  const erin = await openAs("erin", "/chat");
  await erin.getByRole("button", { name: strings.sidebar.find }).click();
  await finderBox(erin).fill("@shop");
  await erin.getByRole("option", { name: finder.start("shop") }).click();
  await expect(composer(erin, "shop")).toBeVisible();
});

test("the finder says why a name can't be messaged, and offers no conversation with a group mention", async ({
  openAs,
}) => {
  const erin = await openAs("erin", "/chat");
  await erin.getByRole("button", { name: strings.sidebar.find }).click();
  await finderBox(erin).fill("nobody-at-all");
  await erin.getByRole("option", { name: finder.start("nobody-at-all") }).click();
  await expect(erin.getByRole("alert").filter({ hasText: finder.noAccount("nobody-at-all") })).toBeVisible();
  await finderBox(erin).fill("n");
  await expect(erin.getByText(finder.noAccount("nobody-at-all"))).toBeHidden();

  for (const name of ["all", "channel", "here", "system"]) {
    await finderBox(erin).fill("nobody-at-all");
    await expect(erin.getByRole("option", { name: finder.start("nobody-at-all") })).toBeVisible();
    await finderBox(erin).fill(`@${name}`);
    await expect(erin.getByRole("option", { name: finder.start("nobody-at-all") })).toHaveCount(0);
    await expect(erin.getByRole("option", { name: finder.start(name) })).toHaveCount(0);
  }
  const { problems } = problemTexts;
  const refusals = [
    ["name_reserved", 403, {}, problems.name_reserved],
    ["name_taken", 409, {}, problems.name_taken],
    ["user_limit_reached", 403, {}, problems.user_limit_reached],
    ["forbidden", 403, {}, finder.closedAccount("zoe-at-all")],
    ["rate_limited", 429, { "retry-after": "2880" }, finder.tooManyNew],
    ["rate_limited", 429, { "retry-after": "1" }, problems.rate_limited],
    ["backend_unreachable", 502, {}, problems.backend_unreachable],
  ] as const;
  for (const [code, status, headers, words] of refusals) {
    const refuse = (route: Route) => route.fulfill({ status, headers, json: { error: "No.", code } });
    await erin.route("**/api/chat/direct", refuse);
    await finderBox(erin).fill("zoe-at-all");
    await erin.getByRole("option", { name: finder.start("zoe-at-all") }).click();
    await expect(erin.getByRole("alert")).toHaveText(String(words));
    await finderBox(erin).fill("z");
    await expect(erin.getByRole("alert").filter({ hasText: String(words) })).toBeHidden();
    await erin.unroute("**/api/chat/direct", refuse);
  }
});

test("the finder says when it finds nothing and when the search fails", async ({ openAs }) => {
  const erin = await openAs("erin", "/chat");
  await erin.getByRole("button", { name: strings.sidebar.find }).click();
  await finderBox(erin).fill("??no such thing??");
  await expect(erin.getByRole("status").filter({ hasText: finder.none })).toBeVisible();
  await erin.route("**/channels/public?*", (route) =>
    route.fulfill({ status: 400, json: { error: "No.", code: "invalid_request" } }),
  );
  await finderBox(erin).fill("anything else");
  await expect(erin.getByRole("alert").filter({ hasText: strings.search.failed })).toBeVisible();
});

test("the finder searches for few of the unfinished terms during fast typing", async ({ openAs }) => {
  const erin = await openAs("erin", "/chat");
  const terms: unknown[] = [];
  erin.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.endsWith("/channels/public") && searchParams.has("q")) terms.push(searchParams.get("q"));
  });
  await erin.getByRole("button", { name: strings.sidebar.find }).click();
  await finderBox(erin).pressSequentially("photography", { delay: 20 });
  await expect(erin.getByRole("option", { name: /^Photography/ })).toBeVisible();
  await expect.poll(() => terms.at(-1)).toBe("photography");
  expect(terms.length).toBeLessThan(6);
});

test("the finder shows a channel's purpose, member count and latest activity before joining", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Aardvark Watchers", ["alice", "bob"]);
  const alice = room.people.get("alice");
  const purpose = `For those who look for burrows${", and for what lives in them".repeat(5)}`;
  await alice?.mattermost("PUT", `/channels/${room.id}/patch`, { purpose });
  await say(room, "bob", "One seen at dusk");
  const erin = await openAs("erin", "/chat");
  await erin.getByRole("button", { name: strings.sidebar.find }).click();
  const group = erin.getByRole("group", { name: finder.others });
  // An empty query browses the channels.
  await expect(group.getByRole("option").first()).toBeVisible();
  await finderBox(erin).fill("burrows");
  const option = group.getByRole("option", { name: room.title });
  const cut = await option
    .getByText(purpose)
    .evaluate((line) => [line.scrollWidth - line.clientWidth, line.scrollHeight - line.clientHeight]);
  expect(
    cut.every((pixels) => pixels <= 1),
    String(cut),
  ).toBe(true);
  await expect(option).toContainText(finder.facts(2, "").split(" · ")[0] ?? "");
  await expect(option).toContainText("active");
  await expect(option).toHaveAttribute("aria-selected", "true");
  await finderBox(erin).press("Enter");
  await expect(erin).toHaveURL(`/chat/${room.id}`);
  if (!mattermostAnswers().readsAsGuest) return;

  // Selecting the channel opens a preview; only the button joins.
  await expect(timeline(erin, room.title).getByText("One seen at dusk")).toBeVisible();
  const card = erin.getByRole("region", { name: strings.channel.about(room.title) });
  await expect(card).toContainText(purpose);
  await expect(card).toContainText(finder.facts(2, "").split(" · ")[0] ?? "");
  await expect(card).toContainText(strings.guest.writers("bob"));
  await expect(card.getByRole("button", { name: strings.channel.join })).toBeFocused();
  await expect(composer(erin, room.title)).toBeHidden();
  await expect(channelLink(erin, room.title)).toBeHidden();
  await card.getByRole("button", { name: strings.guest.others }).click();
  await expect(group.getByRole("option").first()).toBeVisible();
  await erin.keyboard.press("Escape");
  await expect(card.getByRole("button", { name: strings.guest.others })).toBeFocused();
  await card.getByRole("button", { name: strings.channel.join }).press("Enter");
  await expect(composer(erin, room.title)).toBeFocused();
  await expect(channelLink(erin, room.title)).toBeVisible();
});

test("the finder cuts a long name on a phone rather than the count of unread messages", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Finder of names as long as the names of channels", ["alice", "bob"]);
  for (let count = 0; count < 12; count++) await say(room, "bob", "Count me");
  const alice = await openAs("alice", "/chat", { viewport: { width: 390, height: 844 } });
  await expect(alice.getByRole("button", { name: strings.account.menu("alice") })).toBeVisible();
  await alice.keyboard.press("Control+k");
  await alice.keyboard.type("Finder of names");
  const count = alice.getByRole("option", { name: room.title }).getByText(strings.sidebar.unread(12));
  await expect(count).toBeVisible();
  expect(await count.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
});
