import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodePage, readPageHead } from "../../../lib/outside/page-head.ts";

const bytes = (text: string, encoding: BufferEncoding = "utf8") => Buffer.from(text, encoding);

describe("readPageHead", () => {
  it("prefers Open Graph to Twitter, and both to the page's own tags", () => {
    const own = '<title>own</title><meta name="description" content="own words">';
    const twitter =
      '<meta name="twitter:title" content="twitter"><meta name="twitter:image" content="/t.png">';
    const graph = `<META content='graph' Property="OG:title"><meta property=og:image content=/g.png>`;
    expect(readPageHead(`<head>${own}</head>`)).toEqual({
      title: "own",
      description: "own words",
      picture: null,
    });
    expect(readPageHead(own + twitter)).toEqual({
      title: "twitter",
      description: "own words",
      picture: "/t.png",
    });
    expect(readPageHead(own + twitter + graph)).toEqual({
      title: "graph",
      description: "own words",
      picture: "/g.png",
    });
  });

  it.each([
    ["a comment", "<!-- <title>no</title> --><title>yes</title>"],
    ["a script", '<script>"<title>no</title>"</script><title>yes</title>'],
    ["an attribute", `<meta name="x" content="<title>no</title>"><title>yes</title>`],
    ["the body", "<head></head><title>no</title>"],
    ["the body without a head", "<body><title>no</title>"],
    ["a tag that is cut off", '<title>yes</title><meta property="og:title" content="no'],
    ["a blank title", '<meta property="og:title" content=" "><title>yes</title>'],
  ])("reads nothing from %s", (_kind, html) => {
    expect(readPageHead(html).title).not.toBe("no");
    expect(readPageHead(html).title).toBe(html.includes("yes") ? "yes" : null);
  });

  it("decodes entities once, and leaves unknown ones unchanged", () => {
    const titleOf = (text: string) => readPageHead(`<title>${text}</title>`).title;
    expect(titleOf("Tom &amp; Jerry &#8211; &#x1F600; &eacute;")).toBe("Tom & Jerry – 😀 é");
    expect(titleOf("&amp;lt;b&amp;gt; &nosuch; &#0; &#x110000;")).toBe("&lt;b&gt; &nosuch; \ufffd \ufffd");
  });

  it("returns a bounded result for any input", () => {
    const pieces = fc.constantFrom(
      ...[
        "<",
        ">",
        "<!--",
        "-->",
        "<title",
        "</title>",
        "<meta ",
        "content=",
        "property='og:title'",
        '"',
        "'",
      ],
      ...[
        "=",
        "/",
        " ",
        "<script>",
        "</script",
        "</head>",
        "&#x41;",
        "&amp",
        "\u0000",
        "\ud800",
        "é",
        "<body>",
      ],
    );
    const html = fc.oneof(
      fc.array(fc.oneof(pieces, fc.string()), { maxLength: 200 }).map((parts) => parts.join("")),
      fc.string({ unit: "binary", maxLength: 2000 }),
    );
    fc.assert(
      fc.property(html, (text) => {
        for (const value of Object.values(readPageHead(text)))
          expect(value === null || (value.length > 0 && value.length <= 4096)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    "<",
    "<a",
    "<!--",
    "<title>",
    "<meta a=",
    "<a b='",
    "<a ====",
    "&amp;",
    "</",
    "<p ",
    "<p>",
    "<i></i>",
    "<meta x>",
  ])("reads half a million characters of %s", (piece) => {
    const html = piece.repeat(Math.ceil(524_288 / piece.length));
    expect(Object.keys(readPageHead(html))).toEqual(["title", "description", "picture"]);
  });
});

describe("decodePage", () => {
  it("uses the header first, then the page, then UTF-8", () => {
    expect(decodePage(bytes("ñ", "latin1"), "text/html; charset=ISO-8859-1")).toBe("ñ");
    expect(decodePage(bytes('<meta charset="windows-1252">ñ', "latin1"), "text/html")).toContain("ñ");
    const old = '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-15">';
    expect(decodePage(bytes(`${old}€`.replace("€", "\xa4"), "latin1"), "text/html")).toContain("€");
    expect(decodePage(bytes("ñ"), "text/html; charset=no-such-set")).toBe("ñ");
    expect(decodePage(bytes("\ufeffñ"), "text/html")).toBe("ñ");
  });

  it("decodes any bytes under any charset name", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), fc.string(), (page, name) => {
        expect(typeof decodePage(page, `text/html; charset=${name}`)).toBe("string");
      }),
    );
  });
});
