import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { emojify, emojiOf, findEmoji, loadEmojiTable, shortNameOf } from "#app/(demo)/_chat/emoji/emojify.ts";

const table = { 100: "💯", ab: "🆎", o: "⭕", x: "❌" };

beforeAll(async () => {
  vi.stubGlobal("fetch", async () => Response.json(table));
  await loadEmojiTable();
});
afterAll(() => vi.unstubAllGlobals());

describe("emoji", () => {
  it("stand for their known short names alone", () => {
    expect(emojify("ship it :rocket: :+1: :nothing_such: 10:30:00")).toBe(
      "ship it 🚀 👍 :nothing_such: 10:30:00",
    );
  });

  it.each([
    "00:1b:ab:cd:12:3f",
    "1:100:1000",
    "2001:db8::100:1",
    "fe80::ab:1",
    "::100:ab",
    "a?b:o:x",
    "é:o:x",
    "б:o:x",
    "10:100:30",
    "urn:ab:x",
    "key_:ab:x",
    ":100:1000",
  ])("are not found in %s", (text) => {
    expect(emojify(text)).toBe(text);
  });

  it.each([
    [":wave:", "👋"],
    [":wave::rocket: :tada:", "👋🚀 🎉"],
    ["(:wave:)", "(👋)"],
    ["好:wave:", "好👋"],
    ["すごい:wave:です", "すごい👋です"],
    ["สวัสดี:wave:", "สวัสดี👋"],
    ["**:tada:Released**", "**🎉Released**"],
    ["🎉:wave:", "🎉👋"],
    ["so:\n:wave:.", "so:\n👋."],
    [":100:", "💯"],
  ])("are found in %s", (text, shown) => {
    expect(emojify(text)).toBe(shown);
  });

  it("are not found by names that every object has", () => {
    expect(emojiOf("constructor")).toBeUndefined();
    expect(emojify(":constructor:")).toBe(":constructor:");
  });

  it("are found by a part of their name, those that begin with it first", () => {
    expect(findEmoji("hea", 3)[0]).toEqual({ name: "heart", character: "❤️" });
    expect(findEmoji("a", 2)).toHaveLength(2);
  });

  it("have their short name whether the picker sends the variation mark or not", () => {
    expect([shortNameOf("❤️"), shortNameOf("❤"), shortNameOf("x")]).toEqual(["heart", "heart", undefined]);
  });
});
