import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { highlight } from "#app/(demo)/_chat/message/highlight.ts";

const kindsOf = (code: string, language: string) =>
  Object.fromEntries(highlight(code, language).map(({ kind, text }) => [text, kind]));

describe("highlighting code", () => {
  test("whatever the code and the language, the tokens together are the code", () => {
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

  test("comments, strings, numbers and keywords are told apart, and a keyword in a string is a string", () => {
    expect(kindsOf('const a = 0xff; /* if */ f("return")', "TypeScript")).toMatchObject({
      const: "keyword",
      "0xff": "number",
      "/* if */": "comment",
      '"return"': "string",
    });
    expect(kindsOf("def f(): # note", "py")).toMatchObject({ def: "keyword", "# note": "comment" });
    expect(kindsOf("select 1 -- all", "sql")).toMatchObject({ select: "keyword", "-- all": "comment" });
  });

  test("a diff shows what went and what came", () => {
    expect(kindsOf("+new\n-old\n same", "diff")).toEqual({
      "+new\n": "added",
      "-old\n": "removed",
      " same": "plain",
    });
  });

  test("code in an unknown language, or more of it than anybody reads, stays plain", () => {
    expect(highlight("const a", "klingon")).toEqual([{ kind: "plain", text: "const a" }]);
    expect(highlight("1;".repeat(20_000), "js")).toHaveLength(1);
  });
});
