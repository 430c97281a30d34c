import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { messageRow, timeline } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expect, test } from "./support/test.ts";

test("consecutive messages of one author share a name, and a day begins with a line", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Quiet Corner", ["alice", "bob"]);
  await say(room, "bob", "One thought");
  await say(room, "bob", "and its second half");
  await say(room, "alice", "An answer");
  const alice = await openAs("alice", `/chat/${room.id}`);
  const log = timeline(alice, room.title);
  const author = (text: string, name: string) =>
    messageRow(log, text).getByRole("button", { name, exact: true });
  await expect(author("One thought", "bob")).toBeVisible();
  await expect(author("and its second half", "bob")).toHaveCount(0);
  await expect(author("An answer", "alice")).toBeVisible();
  await expect(log.getByText("Today", { exact: true })).toHaveCount(1);
});

test("the first message requires less than 300 KB of compressed scripts, one font, and no highlighter", async ({
  browser,
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Light Room", ["alice", "bob"]);
  await say(room, "bob", "Plain words");
  const storageState = await (await openAs("alice", null)).context().storageState();
  const context = await browser.newContext({ baseURL: url, storageState });
  const page = await context.newPage();
  await page.goto(`/chat/${room.id}`);
  await expect(messageRow(timeline(page, room.title), "Plain words")).toBeVisible();
  // The text may arrive before the font.
  await page.evaluate(() => document.fonts.ready);
  const loaded = await page.evaluate(() =>
    performance
      .getEntriesByType("resource")
      .map((entry) => [entry.name, (entry as PerformanceResourceTiming).encodedBodySize] as const),
  );
  const bytes = (kind: RegExp) => loaded.reduce((sum, [name, size]) => sum + (kind.test(name) ? size : 0), 0);
  expect(bytes(/\.js$/)).toBeGreaterThan(100_000);
  expect(bytes(/\.js$/)).toBeLessThan(300 * 1024);
  expect(loaded.filter(([name]) => name.endsWith(".woff2"))).toHaveLength(1);

  // The highlighter is identified by a keyword of a language that is rare in chats.
  const holdsHighlighter = async () => {
    const names = await page.evaluate(() =>
      performance.getEntriesByType("resource").flatMap(({ name }) => (name.endsWith(".js") ? name : [])),
    );
    const scripts = await Promise.all(names.map(async (name) => (await page.request.get(name)).text()));
    return scripts.some((script) => script.includes("nonlocal not or pass"));
  };
  expect(await holdsHighlighter()).toBe(false);
  await say(room, "bob", "```js\nconst lazy = true;\n```");
  await expect(timeline(page, room.title).locator("pre span").first()).toBeVisible();
  expect(await holdsHighlighter()).toBe(true);
  await context.close();
});

test("messages show their exact time, with or without a name above them", async ({ openAs, url }) => {
  const room = await createRoom(url, "Clock Room", ["alice", "bob"]);
  const first = await say(room, "bob", "What time is it?");
  const second = await say(room, "bob", "I mean exactly");
  const alice = await openAs("alice", `/chat/${room.id}`);
  for (const { message, create_at } of [first, second]) {
    const link = messageRow(timeline(alice, room.title), message).locator("a[title]:has(time)");
    await expect(link).toHaveAttribute("title", new RegExp(String(new Date(create_at).getFullYear())));
    await expect(link.locator("time")).toHaveAttribute("datetime", new Date(create_at).toISOString());
  }
  await messageRow(timeline(alice, room.title), first.message).locator("a:has(time)").click();
  await expect(alice).toHaveURL(new RegExp(`/chat/${room.id}\\?post=${first.id}$`));
});

test("the reader's own name stands out from the names of others", async ({ openAs, url }) => {
  const room = await createRoom(url, "Naming Room", ["alice", "bob"]);
  await say(room, "bob", "@alice and @carol: **lunch**?");
  const alice = await openAs("alice", `/chat/${room.id}`);
  const row = messageRow(timeline(alice, room.title), "lunch");
  await expect(row.locator("mark")).toHaveText("@alice");
  const colourOf = (text: string) =>
    row.getByText(text, { exact: true }).evaluate((element) => getComputedStyle(element).backgroundColor);
  expect(await colourOf("@alice")).not.toBe(await colourOf("@carol"));
});

test("a shortened message is shown in full on demand", async ({ openAs, url }) => {
  const room = await createRoom(url, "Long Read Room", ["alice", "bob"]);
  const lines = Array.from({ length: 120 }, (_, line) => `Verse ${line + 1}.`);
  await say(room, "bob", lines.join("\n"));
  const alice = await openAs("alice", `/chat/${room.id}`);
  const row = messageRow(timeline(alice, room.title), "Verse 1.");
  await expect(row).not.toContainText("Verse 120.");
  await row.getByRole("button", { name: strings.message.showMore }).click();
  await expect(row).toContainText("Verse 120.");
});

test("a channel opened for the first time shows no message before it can be formatted", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "First Sight Room", ["alice", "bob"]);
  await say(room, "bob", "**Bold** and :sloth:");
  const alice = await openAs("alice", "/");
  await alice.route("**/emoji/short-names.json", async (route) => {
    await alice.waitForResponse(/\/posts\?/);
    await route.continue();
  });
  await alice.addInitScript(() => {
    const seen = new Set<string>();
    Object.assign(window, { seen });
    new MutationObserver(() => {
      for (const row of document.querySelectorAll("[data-post]")) seen.add(row.textContent ?? "");
    }).observe(document, { childList: true, subtree: true, characterData: true });
  });
  await alice.goto(`/chat/${room.id}`);
  const row = messageRow(timeline(alice, room.title), "Bold");
  await expect(row.locator("strong")).toHaveText("Bold");
  await expect(row).toContainText("🦥");
  const seen = await alice.evaluate(() => [...(window as unknown as { seen: Set<string> }).seen]);
  expect(seen.filter((text) => /\*\*|:sloth:/.test(text))).toEqual([]);
});
