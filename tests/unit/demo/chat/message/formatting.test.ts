import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { beforeAll, describe, expect, it } from "vitest";
import { type Node, textOf } from "#app/(demo)/_chat/message/formatted-node.ts";
import { treeOf } from "#app/(demo)/_chat/message/markdown-tree.ts";
import { MessageExcerpt, MessageText } from "#app/(demo)/_chat/message/message-text.tsx";
import { loadParser } from "#app/(demo)/_chat/message/parser.ts";

beforeAll(loadParser);

const myName = "alice";
/** Each form of a text in the chat, as HTML. */
const forms = {
  whole: (text: string) => renderToStaticMarkup(createElement(MessageText, { text, myName })),
  line: (text: string) => renderToStaticMarkup(createElement(MessageText, { text, myName, isLine: true })),
  excerpt: (text: string) =>
    renderToStaticMarkup(createElement(MessageExcerpt, { text, myName, plain: text })),
};

/** Returns the nodes with this tag in a tree. */
function tagged(node: Node, tagName: string): Node[] {
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
    "std::vector<std::string> v",
    "Map<key:value>",
    "<xs:element>",
    "<javascript:alert(1)>",
    "<ftp://a.example> and <tel:+1>",
    "List<a@b.example>",
    "Alice <alice@a.example>, Bob <bob@b.example>",
    "<xs:a。b>",
  ];

  it.each(written)("shows %j as typed", (text) => {
    expect(textOf(treeOf(text)).trim()).toBe(text.replace(/^[>-] /, ""));
  });

  it.each(Object.entries(forms))("shows bracketed text in the %s", (_name, show) => {
    expect(show("see <url> & List<String>")).toContain("see &lt;url&gt; &amp; List&lt;String&gt;");
  });

  it("links e-mail addresses between brackets, and keeps the brackets", () => {
    expect(addressesIn("Alice <alice@a.example>")).toEqual(["mailto:alice@a.example"]);
    expect(textsOf("Alice <alice@a.example>", "a")).toEqual(["alice@a.example"]);
  });

  it("formats text between tags", () => {
    expect(textsOf("<b>**bold**</b>", "strong")).toEqual(["bold"]);
  });

  it("keeps addresses in angle brackets as links", () => {
    const text = "<https://a.example/x> <HTTP://b.example> <mailto:a@b.example>";
    expect(textsOf(text, "a")).toEqual(["https://a.example/x", "HTTP://b.example", "mailto:a@b.example"]);
    expect(textOf(treeOf(text))).not.toMatch(/[<>]/);
  });
});

describe("text in the form of a definition", () => {
  it.each([
    "[alice]: yes",
    "[alice]: yes\n[bob]: no",
    "[docs]: https://a.example",
    "[docs]: https://a.example 'a title'",
    "[^1]: note",
    "[^1]: [^2]: note",
    "[^1]: see [^1]",
    "\t[a]: b\n\n[c]: d",
    "before\n\n[x]: y\n\nafter",
    `${"[^a]: ".repeat(30)}end`,
  ])("shows %j as typed if nothing refers to it", (text) => {
    expect(textOf(treeOf(text)).replaceAll(/\s+/g, " ").trim()).toBe(text.replaceAll(/\s+/g, " ").trim());
  });

  it.each(Object.entries(forms))("shows an unused definition in the %s", (_name, show) => {
    expect(show("[alice]: yes")).toContain("[alice]: yes");
  });

  it("shows an unused definition in quotations and lists", () => {
    expect(textsOf("> [alice]: yes", "blockquote").join("").trim()).toBe("[alice]: yes");
    expect(textsOf("- [alice]: yes", "li")).toEqual(["[alice]: yes"]);
  });

  it("hides the first definition of a name if a link or a note refers to it", () => {
    const linked = "see [docs]\n\n[docs]: https://a.example\n[docs]: https://b.example/";
    expect(addressesIn(linked)[0]).toBe("https://a.example");
    expect(textOf(treeOf(linked))).toContain("[docs]: https://b.example/");
    expect(textOf(treeOf(linked))).not.toContain("[docs]: https://a.example");
    const noted = "claim[^1]\n\n[^1]: see [docs]\n\n[docs]: https://a.example";
    expect(textOf(treeOf(noted))).not.toContain("[");
    expect(addressesIn(noted)).toContain("https://a.example");
  });
});

describe("text that would show nothing", () => {
  const typed = [
    "&#8203;",
    "&nbsp;&nbsp;",
    "&#x2800;",
    "[](http://a.example)",
    "[&nbsp;](b)",
    "![]()",
    "#",
    ">",
    "> #",
  ];

  it.each(typed)("shows %j as typed", (text) => {
    for (const show of Object.values(forms))
      expect(show(text).replaceAll(/<[^>]*>/g, "")).toBe(
        text.replaceAll("&", "&amp;").replaceAll(">", "&gt;"),
      );
  });

  it("shows a link without words as typed, even next to other links", () => {
    expect(textOf(treeOf("see [](http://a.example) here"))).toBe("see [](http://a.example) here");
  });

  it.each(["---", "- "])("shows %j as typed on a single line", (text) => {
    for (const show of [forms.line, forms.excerpt]) expect(show(text)).toContain(text.trim());
  });

  it("shows pictures, lines and code blocks that contain no words", () => {
    const tags = ["![](https://a.example/x.png)", "---", "```\n```"].map((text) =>
      ["img", "hr", "pre"].filter((tag) => tagged(treeOf(text), tag).length > 0),
    );
    expect(tags).toEqual([["img"], ["hr"], ["pre"]]);
  });
});

describe("end of a link", () => {
  const ends = [..."”“’‘»«›…—。、，．：；！？）」』】》〉］｝～・،؛؟۔।॥؞։׃။፡።៖‽⟩﴾﹖"];

  it.each(ends)("ends before %s", (end) => {
    for (const address of ["https://a.example/x", "http://a.example", "www.a.example/x"]) {
      const text = `see ${address}${end}`;
      expect(textsOf(text, "a")).toEqual([address]);
      expect(textOf(treeOf(text))).toBe(text);
    }
  });

  it("ends before a mark followed by further words, which are formatted", () => {
    const text = "请看https://a.example/x。**重点**内容，https://b.example/。";
    expect(addressesIn(text)).toEqual(["https://a.example/x", "https://b.example/"]);
    expect(textsOf(text, "strong")).toEqual(["重点"]);
  });

  it("ends before a quotation mark around an address without a scheme", () => {
    expect(textsOf("“www.a.example”", "a")).toEqual(["www.a.example"]);
    expect(textOf(treeOf("“www.a.example”"))).toBe("“www.a.example”");
  });

  it.each([
    "https://ja.example/東京/ひらがな/カタカナ/々",
    "https://hi.example/विकिपीडिया/हिन्दी",
    "https://ar.example/ويكيبيديا/مُحَمَّد",
    "https://ur.example/ویکیپیڈیا",
    "https://ca.example/col·lecció",
    "https://hb.example/צה״ל/ג׳ירפה/תל־אביב",
    "https://de.example/1914–1918",
    "https://th.example/กรุงเทพฯ",
    "https://bo.example/བོད་ཡིག",
  ])("keeps the letters and signs of words in %s", (address) => {
    expect(textsOf(`${address} next`, "a")).toEqual([address]);
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

  it("leaves asterisks between spaces, and underscores within words", () => {
    expect(textsOf("2 ** 3 ** 4 and snake_case_name", "strong")).toEqual([]);
    expect(textsOf("2 ** 3 ** 4 and snake_case_name", "em")).toEqual([]);
  });
});
