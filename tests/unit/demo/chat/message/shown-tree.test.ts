import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, expect, it, vi } from "vitest";
import { Markdown, MarkdownExcerpt } from "#app/(demo)/_chat/message/markdown.tsx";
import { textOf } from "#app/(demo)/_chat/message/markdown-tree.ts";
import { shownTree } from "#app/(demo)/_chat/message/shown-tree.ts";

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
    shownTree(`${index} ${"words ".repeat(2_000)}`);
    expect(shownTree("said *often*")).toBe(kept);
  }
  expect(shownTree("said *first*")).not.toBe(first);
});

it("shows an emoji once its table has loaded, even if the text was shown by its name before", async () => {
  vi.resetModules();
  const fresh = await import("#app/(demo)/_chat/message/shown-tree.ts");
  const { loadEmojiTable } = await import("#app/(demo)/_chat/emoji/emojify.ts");
  expect(textOf(fresh.shownTree("a **:zebra:**"))).toBe("a :zebra:");
  vi.stubGlobal("fetch", async () => Response.json({ zebra: "🦓" }));
  await loadEmojiTable();
  expect(textOf(fresh.shownTree("a **:zebra:**"))).toBe("a 🦓");
});

it("marks the found words in an excerpt alone, not in the message", () => {
  const text = "some **found** words";
  const shown = () => renderToStaticMarkup(createElement(Markdown, { text, myName: "alice" }));
  const before = shown();
  const excerpt = createElement(MarkdownExcerpt, { text, myName: "alice", pattern: /(found)/ });
  expect(renderToStaticMarkup(excerpt)).toContain("<mark>found</mark>");
  expect(shown()).toBe(before);
});
