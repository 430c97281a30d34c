import type { Page } from "playwright/test";
import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import {
  chooseOnMessage,
  composer,
  messageRow,
  timeline,
  waitForChannel,
  write,
} from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expect, test } from "./support/test.ts";

/** Wraps every text of the page in new elements, as a browser's page translator does. */
async function translate(page: Page): Promise<void> {
  await page.evaluate(() => {
    const isOurs = (node: Node) => node.parentElement?.tagName === "FONT";
    const wrap = (root: Node) => {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      const texts: Text[] = [];
      while (walker.nextNode()) texts.push(walker.currentNode as Text);
      for (const text of texts) {
        if (isOurs(text) || /^\s*$/.test(text.data) || text.parentElement?.closest("script, style, textarea"))
          continue;
        const [outer, inner] = [document.createElement("font"), document.createElement("font")];
        inner.textContent = text.data;
        outer.append(inner);
        text.replaceWith(outer);
      }
    };
    wrap(document.body);
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes)
        for (const node of addedNodes) if (node.isConnected && !isOurs(node)) wrap(node);
    }).observe(document.body, { childList: true, subtree: true });
  });
}

test("the chat survives a page translator that replaces its texts", async ({ openAs, url }) => {
  const room = await createRoom(url, "Translated Room", ["alice", "bob"]);
  const other = await createRoom(url, "Other Translated Room", ["alice", "bob"]);
  await say(room, "bob", "A **first** message for @alice with https://a.example/x");
  const page = await openAs("alice", `/chat/${room.id}`);
  const problems: string[] = [];
  page.on("pageerror", ({ message }) => problems.push(message));
  await waitForChannel(page, room.title);
  await translate(page);

  await say(other, "bob", "A call for @alice elsewhere");
  const row = page.getByRole("navigation", { name: strings.sidebar.label }).getByRole("link", {
    name: other.title,
  });
  await expect(row).toContainText(strings.sidebar.mentions(1));
  await write(page, room.title, "An answer of _mine_");
  const answer = messageRow(timeline(page, room.title), "An answer");
  await expect(answer).toBeVisible();
  await chooseOnMessage(page, answer, strings.message.edit);
  await page.getByRole("textbox", { name: strings.message.edit }).fill("An answer of **mine**, changed");
  await page.keyboard.press("Enter");
  await expect(messageRow(timeline(page, room.title), "changed")).toContainText(strings.message.edited);
  await composer(page, room.title).fill("left");
  await row.click();
  await waitForChannel(page, other.title);
  await expect(messageRow(timeline(page, other.title), "A call for")).toBeVisible();
  await page.goBack();
  await waitForChannel(page, room.title);
  await expect(composer(page, room.title)).toHaveValue("left");
  await page.getByRole("button", { name: new RegExp(`^${strings.mentions.title}`) }).click();
  await expect(page.getByRole("complementary", { name: strings.mentions.title })).toContainText("A call for");
  expect(problems).toEqual([]);
});
