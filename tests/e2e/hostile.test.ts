import type { Page } from "playwright/test";
import { composer, messageRow, timeline, waitForChannel, write } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expect, test } from "./support/test.ts";

const MAX_MESSAGE = 16_383;

const hostile: ReadonlyArray<{ what: string; text: string; mark: string }> = [
  {
    what: "scripts and handlers in HTML",
    text: "marker-html <script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'><svg onload='window.hacked = 1'>",
    mark: "marker-html",
  },
  {
    what: "links that run code",
    text: "marker-link [click](javascript:window.hacked=1) [data](data:text/html,<script>window.hacked=1</script>) ![x](javascript:window.hacked=1)",
    mark: "marker-link",
  },
  { what: "the greatest length", text: `marker-huge ${"x".repeat(MAX_MESSAGE - 12)}`, mark: "marker-huge" },
  {
    what: "a thousand lines",
    text: `marker-lines${"\nline".repeat(1000)}`,
    mark: "marker-lines",
  },
  {
    what: "text that turns the direction around",
    text: "marker-rtl \u202eטקסט בעברית\u202e مرحبا بالعالم \u2066end\u2069",
    mark: "marker-rtl",
  },
  {
    what: "letters with hundreds of marks",
    text: `marker-zalgo ${"z\u0303\u0313\u0357\u0349\u035a\u0360".repeat(300)}${"o".padEnd(200, "\u0336")}`,
    mark: "marker-zalgo",
  },
  {
    what: "a thousand mentions",
    text: `marker-mentions ${Array.from({ length: 1000 }, (_, index) => `@user-${index}`).join(" ")}`,
    mark: "marker-mentions",
  },
  { what: "deep nesting", text: `${"> ".repeat(500)}marker-nested`, mark: "marker-nested" },
  {
    what: "a table and a heading wider than the page",
    text: `# marker-table\n\n|${" a |".repeat(60)}\n|${" - |".repeat(60)}\n|${" wide-cell |".repeat(60)}`,
    mark: "marker-table",
  },
];

async function expectPageUnharmed(page: Page, width: number) {
  expect(await page.evaluate(() => "hacked" in window)).toBe(false);
  const pageWidth = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(pageWidth).toBeLessThanOrEqual(width);
}

for (const { what, text, mark } of hostile) {
  test(`a message with ${what} harms neither the page nor other messages`, async ({ openAs, url }) => {
    const room = await createRoom(url, "Hostile Room", ["alice", "bob"]);
    await say(room, "bob", "Before it");
    await say(room, "bob", text);
    await say(room, "bob", "After it");
    // A reader without unread messages enters at the end.
    await room.people.get("alice")?.chat("POST", `/channels/${room.id}/view`, {});
    for (const width of [1280, 360]) {
      const alice = await openAs("alice", `/chat/${room.id}`, { viewport: { width, height: 740 } });
      const problems: string[] = [];
      alice.on("pageerror", (error) => problems.push(error.message));
      const list = timeline(alice, room.title);
      await expect(list.getByText("After it")).toBeInViewport();
      await expect(messageRow(list, mark)).toHaveCount(1);
      await expectPageUnharmed(alice, width);
      await expect(list.locator("script, iframe, object, [onerror], [onload]")).toHaveCount(0);
      await expect(list.locator("a[href^='javascript:'], a[href^='data:']")).toHaveCount(0);
      await write(alice, room.title, `Still working at ${width}`);
      await expect(list.getByText(`Still working at ${width}`)).toBeVisible();
      expect(problems).toEqual([]);
    }
  });
}

test("a message over the limit is not sent, and the composer shows by how much it is too long", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Overlong Room", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await write(alice, room.title, "y".repeat(MAX_MESSAGE + 7));
  await expect(alice.getByText("7 characters too many")).toBeVisible();
  expect(await composer(alice, room.title).inputValue()).toHaveLength(MAX_MESSAGE + 7);
});
