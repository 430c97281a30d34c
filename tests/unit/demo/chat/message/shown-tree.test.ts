import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, expect, it, vi } from "vitest";
import { textOf } from "#app/(demo)/_chat/message/formatted-node.ts";
import { treeOf } from "#app/(demo)/_chat/message/markdown-tree.ts";
import { MessageExcerpt, MessageText } from "#app/(demo)/_chat/message/message-text.tsx";
import { loadParser } from "#app/(demo)/_chat/message/parser.ts";
import { shownTree as treeShown } from "#app/(demo)/_chat/message/shown-tree.ts";

const shownTree = (text: string) => treeShown(text, { parse: treeOf });

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

it("formats a text that is shown again only once", () => {
  expect(shownTree("said **twice**")).toBe(shownTree("said **twice**"));
});

it("forgets the texts that were not shown for the longest time", () => {
  const [first, kept] = [shownTree("said *first*"), shownTree("said *often*")];
  for (let index = 0; index < 40; index++) {
    shownTree(`*${index}* ${"words ".repeat(2_000)}`);
    expect(shownTree("said *often*")).toBe(kept);
  }
  expect(shownTree("said *first*")).not.toBe(first);
});

it("shows an emoji once its table has loaded, even if the text was shown by its name before", async () => {
  vi.resetModules();
  const fresh = await import("#app/(demo)/_chat/message/shown-tree.ts");
  const { loadEmojiTable } = await import("#app/(demo)/_chat/emoji/emojify.ts");
  const { treeOf: parse } = await import("#app/(demo)/_chat/message/markdown-tree.ts");
  const shown = () => textOf(fresh.shownTree("a **:zebra:**", { parse }) ?? undefined);
  expect(shown()).toBe("a :zebra:");
  vi.stubGlobal("fetch", async () => Response.json({ zebra: "🦓" }));
  await loadEmojiTable();
  expect(shown()).toBe("a 🦓");
});

it("marks the found words in an excerpt alone, not in the message", async () => {
  await loadParser();
  const text = "some **found** words";
  const shown = () => renderToStaticMarkup(createElement(MessageText, { text, myName: "alice" }));
  const before = shown();
  const excerpt = createElement(MessageExcerpt, { text, myName: "alice", pattern: /(found)/, plain: null });
  expect(renderToStaticMarkup(excerpt)).toContain("<mark>found</mark>");
  expect(shown()).toBe(before);
});
