import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  awaitsEmojiTable,
  emojify,
  emojiOf,
  findEmoji,
  loadEmojiTable,
  shortNameOf,
} from "#app/(demo)/_chat/emoji/emojify.ts";

const table = { 100: "💯", ab: "🆎", o: "⭕", x: "❌" };

const awaited = new Map<string, boolean>();

beforeAll(async () => {
  for (const text of [":tada: and :heart:", ":ab:", "at 10:30:00"]) awaited.set(text, awaitsEmojiTable(text));
  vi.stubGlobal("fetch", async () => Response.json(table));
  await loadEmojiTable();
});
afterAll(() => vi.unstubAllGlobals());

describe("emoji", () => {
  it("wait for their table where a text may hold one that is not known without", () => {
    expect(Object.fromEntries(awaited)).toEqual({
      ":tada: and :heart:": false,
      ":ab:": true,
      "at 10:30:00": true,
    });
    expect(awaitsEmojiTable(":ab:")).toBe(false);
  });

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

  it("are found by what people type for them, the common ones first, each once", () => {
    const first = (part: string) => findEmoji(part, 1)[0]?.character;
    expect(["thumb", "ok", "fire", "clap"].map(first)).toEqual(["👍", "👌", "🔥", "👏"]);
    const characters = findEmoji("1", 50).map(({ character }) => character);
    expect(new Set(characters).size).toBe(characters.length);
  });

  it("are found with those that one uses first", () => {
    expect(findEmoji("thi", 1)[0]?.character).toBe("🤔");
    expect(findEmoji("h", 1, ["🐝"])[0]).toEqual({ name: "honeybee", character: "🐝" });
  });

  it("have the skin tone that their short name tells", () => {
    expect(emojify(":wave_medium_skin_tone: :+1_dark_skin_tone:")).toBe("👋🏽 👍🏿");
    expect(emojify(":wave_medium_light_skin_tone:")).toBe("👋🏼");
    expect(emojiOf("fire_dark_skin_tone")).toBeUndefined();
    expect(emojiOf("constructor_dark_skin_tone")).toBeUndefined();
    expect(shortNameOf("👋🏽")).toBe("wave_medium_skin_tone");
  });

  it("have their short name whether the picker sends the variation mark or not", () => {
    expect([shortNameOf("❤️"), shortNameOf("❤"), shortNameOf("x")]).toEqual(["heart", "heart", undefined]);
  });
});
