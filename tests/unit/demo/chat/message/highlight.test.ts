import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { highlight } from "#app/(demo)/_chat/message/highlight.ts";

const kindsOf = (code: string, language: string) =>
  Object.fromEntries(highlight(code, language).map(({ kind, text }) => [text, kind]));

describe("code highlighting", () => {
  test("returns tokens that add up to the code, for any code and language", () => {
    const languages = fc.constantFrom(
      "ts",
      "rust",
      "json",
      "py",
      "sh",
      "yaml",
      "sql",
      "html",
      "diff",
      "css",
      "?",
    );
    const code = fc.string({
      unit: fc.constantFrom(
        "a",
        "if",
        " ",
        "\n",
        '"',
        "'",
        "`",
        "\\",
        "/",
        "*",
        "#",
        "-",
        "<!--",
        "-->",
        "0x1f",
        "9",
        "<a",
        "=",
        ">",
        "{",
        "}",
        ":",
        ";",
        "$",
      ),
      maxLength: 200,
    });
    fc.assert(
      fc.property(code, languages, (text, language) => {
        const tokens = highlight(text, language);
        expect(tokens.map((token) => token.text).join("")).toBe(text);
      }),
    );
  });

  test("separates comments, strings, numbers and keywords, and finds no keywords in comments or strings", () => {
    expect(kindsOf('const a = 0xff; /* if */ f("return")', "TypeScript")).toMatchObject({
      const: "keyword",
      "0xff": "number",
      "/* if */": "comment",
      '"return"': "string",
    });
    expect(kindsOf("def f(): # note", "py")).toMatchObject({ def: "keyword", "# note": "comment" });
    expect(kindsOf("select 1 -- all", "sql")).toMatchObject({ select: "keyword", "-- all": "comment" });
  });

  test("separates selectors, rules, properties, colours and units in nested stylesheets", () => {
    const kinds = kindsOf(
      '/* a */ @media (width > 40rem) { a:hover, #top { color: #fff; margin: -1.5rem 0; &::before { content: "}"; --gap: var(--wide) } } }',
      "css",
    );
    expect(kinds).toMatchObject({
      "/* a */": "comment",
      "@media (width > 40rem) ": "keyword",
      "a:hover, #top ": "keyword",
      "&::before ": "keyword",
      color: "name",
      content: "name",
      "--gap": "name",
      "--wide": "name",
      "#fff": "number",
      "-1.5rem": "number",
      '"}"': "string",
    });
  });

  test("separates tags, attributes and values in HTML, where an apostrophe starts no string", () => {
    const kinds = kindsOf("<!-- x --><a class=\"b\" href='c'>it's &amp; isn't</a><br/>", "html");
    expect(kinds).toMatchObject({
      "<!-- x -->": "comment",
      "<a": "keyword",
      "</a": "keyword",
      "<br": "keyword",
      "/>": "keyword",
      class: "name",
      href: "name",
      '"b"': "string",
      "'c'": "string",
      "&amp;": "number",
      "it's ": "plain",
      " isn't": "plain",
    });
  });

  test("separates keywords, variables, options, strings and comments in shell code", () => {
    const kinds = kindsOf(
      'PORT=3000 npm run build --workspace=a -q # all of it\nif [ -n "$HOME" ]; then echo $USER $1; fi',
      "bash",
    );
    expect(kinds).toMatchObject({
      PORT: "name",
      "3000": "number",
      "--workspace": "name",
      "-q": "name",
      "# all of it": "comment",
      if: "keyword",
      '"$HOME"': "string",
      $USER: "name",
      $1: "name",
      fi: "keyword",
    });
  });

  test("separates keys from values", () => {
    expect(kindsOf('{"a": "b", "c": true}', "json")).toMatchObject({
      '"a"': "name",
      '"b"': "string",
      true: "keyword",
    });
    expect(kindsOf("[shop]\nprice = 5\n", "toml")).toMatchObject({ "[shop]": "keyword", price: "name" });
    expect(kindsOf("services:\n  - image: x # y", "yaml")).toMatchObject({
      services: "name",
      image: "name",
      "# y": "comment",
    });
  });

  test("shows additions and removals in a diff", () => {
    expect(kindsOf("+new\n-old\n same", "diff")).toEqual({
      "+new\n": "added",
      "-old\n": "removed",
      " same": "plain",
    });
  });

  test("leaves unknown languages and very long code plain", () => {
    expect(highlight("const a", "klingon")).toEqual([{ kind: "plain", text: "const a" }]);
    expect(highlight("1;".repeat(20_000), "js")).toHaveLength(1);
  });
});
