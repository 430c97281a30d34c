import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import fc from "fast-check";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Chat, ChatContext } from "#app/(demo)/_chat/chat-context.ts";
import type { Node } from "#app/(demo)/_chat/message/formatted-node.ts";
import { Markdown } from "#app/(demo)/_chat/message/markdown.tsx";
import { treeOf } from "#app/(demo)/_chat/message/markdown-tree.ts";
import { readTrees, SENT_TREES, writeTrees } from "#app/(demo)/_chat/message/sent-trees.ts";

const ALL = Number.POSITIVE_INFINITY;
const htmlOf = (tree: Node) => {
  const shown = createElement(Markdown, { tree, myName: "alice" });
  const chat = createElement(ChatContext.Provider, { value: { showsOutside: true } as Chat }, shown);
  return renderToStaticMarkup(createElement(QueryClientProvider, { client: new QueryClient() }, chat));
};

beforeEach(() => {
  vi.stubGlobal("window", {
    addEventListener: () => undefined,
    location: { origin: "https://chat.example" },
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const formatted = [
  "**weight**, *stress*, ~~struck~~ and `code`",
  "# Heading\n\n> a quotation\n> of two lines",
  "1. one\n2. two\n   - [ ] open\n   - [x] done\n\n7. seven",
  "5. five\n6. six",
  "| name | sum |\n|:-----|----:|\n| alice | 3 HBD |\n| a longer cell with 1 234.5 HBD in it | **4** |",
  '```ts\nconst a = "</script>";\n```\n\n    indented',
  "claim[^1] and [docs]\n\n[^1]: a source\n[docs]: https://a.example",
  "@alice and @bob in ~town-square :tada: :+1:",
  "[words](/chat/x) <mailto:a@b.example> www.a.example ![picture](https://a.example/x.png)",
  "[words](javascript:alert(1)) <script>alert(1)</script>",
  "**\u201c\u91cd\u70b9\u201d**\u5185\u5bb9\n---\n&nbsp;",
];

describe("the displayed forms that a page brings", () => {
  it.each(formatted)("look like the parsed text: %j", (text) => {
    const tree = treeOf(text);
    const [[key, read] = []] = readTrees(writeTrees([[text, tree]], ALL));
    expect(key).toBe(text);
    expect(read && htmlOf(read)).toBe(htmlOf(tree));
  });

  it("look like any parsed text", () => {
    const unit = fc.constantFrom(...formatted.join("\n").split(/(?<=\W)/));
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 30 }), (text) => {
        const tree = treeOf(text);
        expect(readTrees(writeTrees([[text, tree]], ALL)).map(([, read]) => htmlOf(read))).toEqual([
          htmlOf(tree),
        ]);
      }),
    );
  });

  it("are the first ones that fit", () => {
    const trees = formatted.map((text) => [text, treeOf(text)] as const);
    const most = writeTrees(trees.slice(0, 4), ALL).length;
    const json = writeTrees(trees, most);
    expect(json.length).toBeLessThanOrEqual(most);
    expect(readTrees(json).map(([text]) => text)).toEqual(formatted.slice(0, 4));
    expect(readTrees(writeTrees(trees, 10))).toEqual([]);
  });

  it("are left out one by one if their form is another", () => {
    const good = JSON.parse(writeTrees([["a **b**", treeOf("a **b**")]], ALL));
    const wrong = [
      null,
      "text",
      ["text"],
      [1, []],
      ["text", null],
      ["text", {}],
      ["text", [1]],
      ["text", [[]]],
      ["text", [["p"]]],
      ["text", [["p", "x"]]],
      ["text", [["p", []]]],
      ["text", [["p", null, null]]],
      ["text", [["p", null, ["b c", null]]]],
    ];
    const json = JSON.stringify([...wrong, ...good, ...wrong]);
    expect(readTrees(json).map(([text, tree]) => [text, htmlOf(tree)])).toEqual([
      ["a **b**", htmlOf(treeOf("a **b**"))],
    ]);
  });

  it("are none if the whole has another form, whatever it is", () => {
    for (const json of ["", "x", "null", "{}", "3"]) expect(readTrees(json)).toEqual([]);
    fc.assert(fc.property(fc.json(), (json) => void readTrees(json)));
    fc.assert(fc.property(fc.jsonValue(), (tree) => void readTrees(JSON.stringify([["text", tree]]))));
  });
});

describe("a text", () => {
  const text = "said **with weight**";
  const channelId = "c".repeat(26);

  afterEach(() => {
    vi.resetModules();
  });

  /** Loads the modules of a page that has just opened, with `json` in its element for displayed forms. */
  async function openPage(json: string | null) {
    const element = json === null ? null : { textContent: json, dataset: { channel: channelId } };
    vi.stubGlobal("document", {
      readyState: "complete",
      getElementById: (id: string) => (id === SENT_TREES ? element : null),
    });
    vi.resetModules();
    const { prepareLatest, prepareText } = await import("#app/(demo)/_chat/message/prepare-texts.ts");
    const { parser } = await import("#app/(demo)/_chat/message/parser.ts");
    const { MessageText } = await import("#app/(demo)/_chat/message/message-text.tsx");
    return {
      prepareLatest,
      prepareText,
      isParserLoaded: () => parser.snapshot().parse !== null,
      show: (text: string) => renderToStaticMarkup(createElement(MessageText, { text, myName: "alice" })),
    };
  }

  const sent = writeTrees([[text, treeOf(text)]], ALL);
  const shown = htmlOf(treeOf(text));

  it("is shown formatted without the parser if its displayed form came with the page", async () => {
    const page = await openPage(sent);
    expect(page.show(text)).not.toContain("<strong>");
    await page.prepareLatest(channelId);
    expect(page.show(text)).toBe(shown);
    await page.prepareText(text);
    await page.prepareText("plain words");
    expect(page.isParserLoaded()).toBe(false);
  });

  it.each([
    ["wrong", JSON.stringify([[text, { type: "root" }]])],
    ["no JSON", "<"],
  ])("is parsed if its displayed form is %s", async (_name, json) => {
    const page = await openPage(json);
    await page.prepareLatest(channelId);
    expect(page.isParserLoaded()).toBe(false);
    await page.prepareText(text);
    expect(page.isParserLoaded()).toBe(true);
    expect(page.show(text)).toBe(shown);
  });

  it("is parsed in a channel that the page did not bring", async () => {
    const page = await openPage(sent);
    await page.prepareLatest("d".repeat(26));
    expect(page.show("*another* text")).toContain("<em>another</em>");
  });

  it("is parsed if the page brought no displayed forms", async () => {
    const page = await openPage(null);
    await page.prepareLatest(channelId);
    expect(page.show(text)).toBe(shown);
  });
});
