import { expect, type Locator, type Page } from "playwright/test";
import { strings as help } from "../../../app/(demo)/_chat/shell/help-strings.en.ts";
import { strings } from "../../../app/(demo)/_chat/strings.en.ts";
import { strings as wire } from "../../../app/(demo)/_wire/strings.en.ts";

/** The list of conversations. */
export const sidebar = (page: Page) => page.getByRole("navigation", { name: strings.sidebar.label });

/** A conversation in the list. Its name is followed by its unread count. */
export const channelLink = (page: Page, title: string) =>
  sidebar(page).getByRole("link", { name: new RegExp(`^${title}\\b`) });

/** The messages of the open channel. */
export const timeline = (page: Page, title: string) =>
  page.getByRole("log", { name: strings.timeline.label(title) });

/** The open thread: part of the page, or a dialog over it on a phone. */
export const threadPanel = (page: Page) =>
  page
    .getByRole("complementary", { name: strings.thread.title, exact: true })
    .or(page.getByRole("dialog", { name: strings.thread.title, exact: true }));

/** The message that contains a text, in a timeline or a thread. */
export const messageRow = (place: Locator, text: string) =>
  place.locator("[data-post]").filter({ hasText: text });

export const composer = (page: Page, title: string) =>
  page.getByRole("combobox", { name: strings.composer.label(title) });

export const replyBox = (page: Page) =>
  threadPanel(page).getByRole("combobox", { name: strings.composer.replyLabel });

/** The field of the finder. */
export const finderBox = (page: Page) => page.getByRole("combobox", { name: strings.finder.title });

/** Writes a message and sends it with Enter. */
export async function write(page: Page, title: string, text: string): Promise<void> {
  await composer(page, title).fill(text);
  await composer(page, title).press("Enter");
}

/** Waits until the channel shows its messages and its composer. */
export async function waitForChannel(page: Page, title: string): Promise<void> {
  await expect(timeline(page, title)).toBeVisible();
  await expect(composer(page, title)).toBeVisible();
}

/**
 * Waits until the list of a message is at rest. Until then no row reacts to the pointer, and the runner would
 * scroll on.
 */
export const expectAtRest = (row: Locator) => expect(row).toHaveCSS("pointer-events", "auto");

/** Points at a message once its list is at rest. */
export async function pointAt(row: Locator): Promise<void> {
  await expectAtRest(row);
  await row.hover();
}

/**
 * Presses one of the buttons that a message shows on hover. Retries if the list, not yet settled, moved the
 * message away from the pointer before the press.
 */
export async function pressOnMessage(row: Locator, name: string): Promise<void> {
  await expect(async () => {
    await pointAt(row);
    await row.getByRole("button", { name, exact: true }).click({ timeout: 2000 });
  }).toPass({ timeout: 60_000 });
}

/** Chooses an item of a message's "more" menu. */
export async function chooseOnMessage(page: Page, row: Locator, item: string): Promise<void> {
  await pressOnMessage(row, strings.message.more);
  await page.getByRole("menuitem", { name: item, exact: true }).click();
}

/** Chooses an item of a conversation's menu in the list. */
export async function chooseOnChannel(page: Page, title: string, item: string): Promise<void> {
  await channelLink(page, title).hover();
  await sidebar(page)
    .getByRole("button", { name: `${strings.channel.menu}: ${title}` })
    .click();
  await page.getByRole("menuitem", { name: item, exact: true }).click();
}

/**
 * Opens each panel and dialog that keys open, one after another. `look` is called with the keys while it is
 * open.
 */
export async function openEachByKeys(page: Page, look: (keys: string) => Promise<void>): Promise<void> {
  const named = { name: wire.title };
  for (const [keys, opened] of [
    ["Control+k", finderBox(page)],
    ["Control+Shift+F", page.getByRole("searchbox", { name: strings.search.label })],
    ["Alt+Shift+L", page.getByRole("dialog", named).or(page.getByRole("complementary", named))],
    ["Control+/", page.getByRole("dialog", { name: help.title })],
  ] as const) {
    await page.keyboard.press(keys);
    await expect(opened).toBeVisible();
    await look(keys);
    await page.keyboard.press("Escape");
    await expect(opened).toBeHidden();
  }
}
