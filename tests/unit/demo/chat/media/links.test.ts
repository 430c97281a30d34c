import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linksIn, mayBePicture, mayBePost } from "#app/(demo)/_chat/media/links.ts";

const origin = "https://chat.example.com";
const inText = (text: string) => linksIn(text, origin);

describe("linksIn", () => {
  it("finds addresses in sentences and in Markdown", () => {
    expect(inText("See https://a.example/x, it is good.")).toEqual(["https://a.example/x"]);
    expect(inText("[words](https://a.example/x)")).toEqual(["https://a.example/x"]);
    expect(inText("(https://a.example/x_(y)) **https://b.example/**")).toEqual([
      "https://a.example/x_(y)",
      "https://b.example/",
    ]);
    expect(inText("<https://a.example/?q=1&r=2>")).toEqual(["https://a.example/?q=1&r=2"]);
    expect(inText("HTTPS://A.example/X")).toEqual(["https://a.example/X"]);
  });

  it("ends addresses before typographic and full-width marks", () => {
    expect(inText("“https://a.example/x” 见https://b.example/y。然后")).toEqual([
      "https://a.example/x",
      "https://b.example/y",
    ]);
    expect(inText("https://a.example/x، https://b.example/y؟")).toEqual([
      "https://a.example/x",
      "https://b.example/y",
    ]);
    expect(inText("https://a.example/x। https://b.example/y۔")).toEqual([
      "https://a.example/x",
      "https://b.example/y",
    ]);
  });

  it("returns up to two links per message, without duplicates", () => {
    const text = ["a", "a", "b", "c"].map((host) => `https://${host}.example/`).join(" ");
    expect(inText(text)).toEqual(["https://a.example/", "https://b.example/"]);
  });

  it("lists up to ten pictures before the links, recognized by their file extensions", () => {
    const pictures = Array.from({ length: 11 }, (_, index) => `https://a.example/${index}.png?size=large`);
    expect(inText(["https://b.example/", ...pictures].join("\n"))).toEqual([
      ...pictures.slice(0, 10),
      "https://b.example/",
    ]);
    expect(
      ["a.JPG", "a.webp", "a.png/", "a.svg", "a?b=c.png"].map((name) => mayBePicture(`${origin}/${name}`)),
    ).toEqual([true, true, false, false, false]);
  });

  it.each([
    ["code", "`https://a.example/`"],
    ["a block of code", "```\nhttps://a.example/\n```"],
    ["a block of code that does not end", "~~~\nhttps://a.example/"],
    ["a quotation", "> https://a.example/\nhello"],
    ["a picture", "![valley](https://a.example/valley)"],
    ["the site itself", `${origin}/articles/x`],
    ["a file", "https://a.example/paper.pdf"],
    ["a picture of the site itself", `${origin}/pictures/chat.png`],
    ["a picture in a private network", "http://router/plan.png"],
    ["a name in a private network", "http://router/"],
    ["a scheme without an address", "https:// http://"],
  ])("skips %s", (_kind, text) => {
    expect(inText(text)).toEqual([]);
  });

  it("returns up to two complete addresses for any text", () => {
    const part = fc.constantFrom(
      "https://a.b/",
      "(",
      ")",
      "`",
      "![",
      "](",
      "~~~",
      "> ",
      "\n",
      "http://",
      "é",
      "[",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(part, fc.string()), { maxLength: 300 }), (parts) => {
        const found = inText(parts.join(""));
        expect(found.length).toBeLessThanOrEqual(2);
        for (const href of found) expect(new URL(href).href).toBe(href);
      }),
    );
  });
});

describe("mayBePost", () => {
  it("returns true for addresses that may belong to a post, and false for others", () => {
    expect(mayBePost("https://peakd.com/@alice/a-walk")).toBe(true);
    expect(mayBePost("https://3speak.tv/watch?v=alice/abcdefgh")).toBe(true);
    expect(mayBePost("https://example.com/")).toBe(false);
  });
});
