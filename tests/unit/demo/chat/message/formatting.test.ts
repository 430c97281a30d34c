import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { Markdown, MarkdownExcerpt, MarkdownLine } from "#app/(demo)/_chat/message/markdown.tsx";
import { textOf, treeOf } from "#app/(demo)/_chat/message/markdown-tree.ts";

type Tree = ReturnType<typeof treeOf>;

/** The nodes of a tree that have this tag. */
function tagged(node: Tree, tagName: string): Tree[] {
  const inside = (node.children ?? []).flatMap((child) => tagged(child, tagName));
  return node.tagName === tagName ? [node, ...inside] : inside;
}

const textsOf = (text: string, tagName: string) => tagged(treeOf(text), tagName).map(textOf);
const addressesIn = (text: string) => tagged(treeOf(text), "a").map(({ properties }) => properties?.href);

describe("text in angle brackets", () => {
  const written = [
    "GET <url> now",
    "a List<String> of names",
    "a<b and c>d",
    "<div>",
    "<div>\nhello\n</div>",
    "<!-- a note -->",
    "<script>alert(1)</script>",
    "Map<K, V> and Vec<u8>",
    "</closing> <self/> <?php echo 1 ?> <![CDATA[x]]>",
    "> <quoted>",
    "- <item>",
  ];

  it.each(written)("shows %j as typed", (text) => {
    expect(textOf(treeOf(text)).trim()).toBe(text.replace(/^[>-] /, ""));
  });

  it.each([Markdown, MarkdownLine, MarkdownExcerpt])("shows it in each form of a message", (Form) => {
    const props = { text: "see <url> & List<String>", myName: "alice", pattern: null };
    expect(renderToStaticMarkup(createElement(Form, props))).toContain(
      "see &lt;url&gt; &amp; List&lt;String&gt;",
    );
  });

  it("formats text between tags", () => {
    expect(textsOf("<b>**bold**</b>", "strong")).toEqual(["bold"]);
  });

  it("keeps addresses in angle brackets as links", () => {
    expect(addressesIn("<https://a.example/x>")).toEqual(["https://a.example/x"]);
  });
});

describe("end of a link", () => {
  const ends = [..."”“’‘»«›…—。、，．：；！？）」』】》〉］｝～・"];

  it.each(ends)("ends before %s", (end) => {
    for (const address of ["https://a.example/x", "http://a.example", "www.a.example/x"]) {
      const text = `see ${address}${end}`;
      expect(textsOf(text, "a")).toEqual([address]);
      expect(textOf(treeOf(text))).toBe(text);
    }
  });

  it("ends before a mark followed by more words, which are formatted", () => {
    const text = "请看https://a.example/x。**重点**内容，https://b.example/。";
    expect(addressesIn(text)).toEqual(["https://a.example/x", "https://b.example/"]);
    expect(textsOf(text, "strong")).toEqual(["重点"]);
  });

  it("ends before a quotation mark around an address without a scheme", () => {
    expect(textsOf("“www.a.example”", "a")).toEqual(["www.a.example"]);
    expect(textOf(treeOf("“www.a.example”"))).toBe("“www.a.example”");
  });

  it("keeps letters of every script in the address", () => {
    expect(textsOf("https://ja.example/東京/ひらがな/カタカナ/々", "a")).toEqual([
      "https://ja.example/東京/ひらがな/カタカナ/々",
    ]);
  });

  it("keeps addresses with an explicit end", () => {
    expect(addressesIn("[words](https://a.example/“x”) <https://a.example/x。y>")).toEqual([
      "https://a.example/%E2%80%9Cx%E2%80%9D",
      "https://a.example/x%E3%80%82y",
    ]);
    expect(textsOf("`https://a.example/x。y`", "code")).toEqual(["https://a.example/x。y"]);
    expect(textsOf("[https://a.example/。x](https://b.example/)", "a")).toEqual(["https://a.example/。x"]);
  });
});

describe("emphasis without spaces", () => {
  it.each([
    ["**“重点”**内容", "strong", "“重点”"],
    ["これは**「強調」**です", "strong", "「強調」"],
    ["**重点。**内容", "strong", "重点。"],
    ["한국어**(강조)**입니다", "strong", "(강조)"],
    ["*“重点”*内容", "em", "“重点”"],
    ["~~“重点”~~内容", "del", "“重点”"],
  ])("formats %s", (text, tagName, words) => {
    expect(textsOf(text, tagName)).toEqual([words]);
  });

  it("leaves lone stars", () => {
    expect(textsOf("2 ** 3 ** 4 and snake_case_name", "strong")).toEqual([]);
    expect(textsOf("2 ** 3 ** 4 and snake_case_name", "em")).toEqual([]);
  });
});
