import type { Locator, Page } from "playwright/test";
import { strings as help } from "../../app/(demo)/_chat/shell/help-strings.en.ts";
import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { composer, waitForChannel } from "./support/chat-page.ts";
import { createRoom } from "./support/create-room.ts";
import { holdScripts } from "./support/hold-scripts.ts";
import { expect, test } from "./support/test.ts";

const ways: ReadonlyArray<[string, (page: Page, button: Locator, title: string) => Promise<void>]> = [
  ["Escape", (page) => page.keyboard.press("Escape")],
  ["another press of its button", (_page, button) => button.click()],
  [
    "a press elsewhere",
    (page, _button, title) => page.getByRole("heading", { name: title, level: 2 }).click(),
  ],
  ["Shift+Tab", (page) => page.keyboard.press("Shift+Tab")],
];

const popups: ReadonlyArray<[string, (page: Page) => Locator, (page: Page) => Locator]> = [
  [
    "a menu",
    (page) => page.getByRole("button", { name: strings.account.menu("alice") }),
    (page) => page.getByRole("menu"),
  ],
  [
    "the emoji picker",
    (page) => page.getByRole("button", { name: strings.composer.emoji }),
    (page) => page.getByRole("dialog", { name: strings.composer.emoji }),
  ],
];

for (const [popup, buttonIn, openedIn] of popups)
  for (const [way, giveUp] of ways)
    test(`${popup} that has not loaded yet is given up by ${way}`, async ({ openAs, url }) => {
      const room = await createRoom(url, "Patience Room", ["alice"]);
      const alice = await openAs("alice", `/chat/${room.id}`);
      await waitForChannel(alice, room.title);
      const release = await holdScripts(alice);
      const button = buttonIn(alice);
      await button.click();
      await expect(button).toHaveAttribute("aria-expanded", "true");
      await giveUp(alice, button, room.title);
      await expect(button).toHaveAttribute("aria-expanded", "false");
      release();
      // Would close what is still to come.
      await button.click();
      await expect(openedIn(alice)).toBeVisible();
    });

test("a menu that has not loaded yet outlasts a focus that moves by itself", async ({ openAs, url }) => {
  const room = await createRoom(url, "Steady Focus Room", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  const release = await holdScripts(alice);
  await alice.getByRole("button", { name: strings.account.menu("alice") }).click();
  await composer(alice, room.title).blur();
  await composer(alice, room.title).focus();
  release();
  await expect(alice.getByRole("menu")).toBeVisible();
});

test("dialogs, the finder and panels that have not loaded yet are given up by Escape", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Patient Room", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  const title = alice.getByRole("heading", { level: 1 }).getByRole("button", { name: room.title });
  const windows = alice.getByRole("dialog").or(alice.getByRole("complementary"));
  const opened: ReadonlyArray<[open: () => Promise<void>, shown: Locator]> = [
    [() => title.click(), alice.getByRole("dialog", { name: room.title })],
    [() => alice.keyboard.press("Control+k"), alice.getByRole("dialog", { name: strings.finder.title })],
    [() => alice.keyboard.press("Control+/"), alice.getByRole("dialog", { name: help.title })],
    [
      () => alice.keyboard.press("Control+Shift+F"),
      alice.getByRole("complementary", { name: strings.search.title }),
    ],
  ];
  const release = await holdScripts(alice);
  for (const [open] of opened) {
    await open();
    await alice.keyboard.press("Escape");
  }
  release();
  for (const [open, shown] of opened) {
    await open();
    await expect(shown).toBeVisible();
    await alice.keyboard.press("Escape");
    await expect(windows).toHaveCount(0);
  }
});
