import type { Page } from "playwright/test";
import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { boxOf } from "./support/box-of.ts";
import { composer, messageRow, timeline, waitForChannel } from "./support/chat-page.ts";
import { createRoom } from "./support/create-room.ts";
import { expectNothingSeriousInBothThemes } from "./support/expect-nothing-serious.ts";
import { expect, test } from "./support/test.ts";

type Format = keyof typeof strings.composer.format;

/** Opens the formatting bar of a channel's composer. `press` presses one of its buttons. */
async function openBar(page: Page, title: string) {
  await waitForChannel(page, title);
  await page.getByRole("button", { name: strings.composer.formatting }).click();
  const bar = page.getByRole("toolbar", { name: strings.composer.formatting });
  const press = (name: Format) =>
    bar.getByRole("button", { name: strings.composer.format[name], exact: true }).click();
  return { box: composer(page, title), bar, press };
}

test("the formatting bar formats the selection", async ({ openAs, url }) => {
  const room = await createRoom(url, "Marker Room", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await expect(composer(alice, room.title)).toBeVisible();
  await expect(alice.getByRole("toolbar", { name: strings.composer.formatting })).toHaveCount(0);
  const { box, bar, press } = await openBar(alice, room.title);
  await expect(bar).toBeVisible();
  await expectNothingSeriousInBothThemes(alice, "the formatting bar");
  await box.fill("one\ntwo");
  await box.press("Control+a");
  await press("list");
  await expect(box).toHaveValue("- one\n- two");
  await box.fill("site");
  await box.press("Control+a");
  await press("link");
  await expect(box).toHaveValue("[site](https://)");
  await box.fill("loud");
  await box.press("Control+a");
  await press("bold");
  await expect(box).toHaveValue("**loud**");
  await box.press("Enter");
  await expect(messageRow(timeline(alice, room.title), "loud").locator("strong")).toHaveText("loud");
});

test("typing continues at the right position after a formatting button is pressed", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Caret Room", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  const { box, press } = await openBar(alice, room.title);
  const cases: ReadonlyArray<readonly [name: Format, written: string, keys: string, then: string]> = [
    ["bold", "", "", "**typed**"],
    ["italic", "", "", "_typed_"],
    ["strike", "", "", "~~typed~~"],
    ["code", "", "", "`typed`"],
    ["bold", "this", "Control+a", "**typed**"],
    ["quote", "", "", "> typed"],
    ["list", "one two", "ArrowLeft", "- one twtypedo"],
    ["numbers", "", "", "1. typed"],
    ["block", "", "", "```\ntyped\n```"],
    ["block", "one two", "ArrowLeft", "```\none twtypedo\n```"],
    ["block", "one", "Control+a", "```\nonetyped\n```"],
    ["link", "", "", "[typed](https://)"],
    ["link", "this", "Control+a", "[this](typed)"],
  ];
  for (const [name, written, keys, then] of cases) {
    await box.fill(written);
    if (keys) await box.press(keys);
    await press(name);
    await alice.keyboard.type("typed");
    await expect(box, `${name} of “${written}”`).toHaveValue(then);
  }
});

test("a formatting button removes its mark, and converts one kind of list into the other", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Toggle Room", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  const { box, press } = await openBar(alice, room.title);
  const cases: ReadonlyArray<readonly [name: Format, written: string, then: readonly string[]]> = [
    ["quote", "one", ["> one", "one"]],
    ["quote", "one\n> two", ["> one\n> two", "one\ntwo"]],
    ["list", "one\n  two", ["- one\n  - two", "one\n  two"]],
    ["numbers", "one\ntwo", ["1. one\n2. two", "one\ntwo"]],
    ["numbers", "- one\n- two", ["1. one\n2. two", "one\ntwo"]],
    ["list", "1. one\n2. two", ["- one\n- two", "one\ntwo"]],
    ["block", "one\ntwo", ["```\none\ntwo\n```", "one\ntwo"]],
    ["block", "```ts\none\n```", ["one", "```\none\n```"]],
  ];
  for (const [name, written, then] of cases) {
    await box.fill(written);
    await box.press("Control+a");
    for (const left of then) {
      await press(name);
      await expect(box, `${name} of “${written}”`).toHaveValue(left);
    }
  }
  await box.press("Control+z");
  await expect(box).toHaveValue("one");
});

test("the formatting bar is one Tab stop, and arrows, Home and End move along it, even mirrored", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Stop Room", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  const box = composer(alice, room.title);
  const { format, formatting } = strings.composer;
  const button = (name: keyof typeof format) =>
    alice.getByRole("toolbar", { name: formatting }).getByRole("button", { name: format[name], exact: true });
  for (const [dir, next, previous] of [
    ["ltr", "ArrowRight", "ArrowLeft"],
    ["rtl", "ArrowLeft", "ArrowRight"],
  ] as const) {
    await alice.evaluate((written) => {
      document.documentElement.dir = written;
    }, dir);
    await alice.getByRole("button", { name: formatting }).click();
    await expect(button("bold")).toBeVisible();
    await box.fill("loud");
    await box.press("Shift+Tab");
    await expect(button("bold")).toBeFocused();
    for (const [key, name] of [
      [next, "italic"],
      [next, "strike"],
      [previous, "italic"],
      ["End", "link"],
      ["Home", "bold"],
    ] as const) {
      await alice.keyboard.press(key);
      await expect(button(name)).toBeFocused();
    }
    await alice.keyboard.press("Tab");
    await expect(box).toBeFocused();
    await box.press("Control+a");
    await box.press("Shift+Tab");
    await alice.keyboard.press("Enter");
    await expect(box).toHaveValue("**loud**");
    await expect(box).toBeFocused();
    await alice.getByRole("button", { name: formatting }).click();
  }
});

for (const width of [320, 360, 375, 390, 393, 430])
  test(`on a phone ${width} px wide the formatting bar is one line of buttons of 44 px and shows if it scrolls`, async ({
    openAs,
    url,
  }) => {
    const room = await createRoom(url, "Narrow Bar Room", ["alice"]);
    const phone = { viewport: { width, height: 740 }, hasTouch: true, isMobile: true };
    const alice = await openAs("alice", `/chat/${room.id}`, phone);
    await waitForChannel(alice, room.title);
    for (const dir of ["ltr", "rtl"]) {
      await alice.evaluate((written) => {
        document.documentElement.dir = written;
      }, dir);
      const { box, bar, press } = await openBar(alice, room.title);
      const buttons = bar.getByRole("button");
      await expect(buttons).toHaveCount(9);
      const boxes = await Promise.all((await buttons.all()).map((button) => boxOf(button)));
      expect(new Set(boxes.map(({ y }) => y)).size).toBe(1);
      for (const one of boxes) expect(Math.min(one.width, one.height)).toBeGreaterThanOrEqual(44);
      const starts = boxes.map(({ x }) => x).toSorted((a, b) => a - b);
      for (const [index, x] of starts.slice(1).entries())
        expect(x - (starts[index] ?? 0)).toBeGreaterThanOrEqual(44);
      const view = await boxOf(bar);
      const shownOf = (one: (typeof boxes)[number]) =>
        (Math.min(one.right, view.right) - Math.max(one.x, view.x)) / one.width;
      const hidden = boxes.map(shownOf).filter((share) => share < 0.99);
      if (hidden.length > 0) expect(hidden[0]).toBeCloseTo(0.5, 1);
      expect(hidden.length > 0).toBe(width < 430);

      await box.fill("");
      await press("link");
      await expect(box).toHaveValue("[](https://)");
      await press("bold");
      await expect(box).toHaveValue("[****](https://)");
      const scrollWidth = await alice.evaluate(() => document.documentElement.scrollWidth);
      expect(scrollWidth).toBe(width);
      await alice.getByRole("button", { name: strings.composer.formatting }).click();
      await expect(bar).toHaveCount(0);
    }
  });
