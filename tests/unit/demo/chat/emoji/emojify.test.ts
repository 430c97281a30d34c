import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  awaitsEmojiTable,
  emojify,
  emojiOf,
  findEmoji,
  isEmojiOnly,
  loadEmojiTable,
  shortNameOf,
} from "#app/(demo)/_chat/emoji/emojify.ts";

const table = { 100: "💯", a: "🅰️", ab: "🆎", b: "🅱️", o: "⭕", x: "❌", cat: "🐱" };

const awaited = new Map<string, boolean>();

beforeAll(async () => {
  for (const text of [":tada: and :heart:", ":ab:", "at 10:30:00"]) awaited.set(text, awaitsEmojiTable(text));
  vi.stubGlobal("fetch", async () => Response.json(table));
  await loadEmojiTable();
});
afterAll(() => vi.unstubAllGlobals());

describe("emoji in text", () => {
  it("awaits the emoji table only if a text may contain an unknown emoji", () => {
    expect(Object.fromEntries(awaited)).toEqual({
      ":tada: and :heart:": false,
      ":ab:": true,
      "at 10:30:00": true,
    });
    expect(awaitsEmojiTable(":ab:")).toBe(false);
  });

  it("replaces only known short names", () => {
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
    "(x)?:o:x",
    "(x) ?:o: 1",
    "list[0]?:o:(y)",
    "{:a:b}",
    "{:cat: 1}",
    ":x:y",
    ":x:б",
    ":cat:cat",
    ":x::o:y",
    "key=:ab:x",
    "key=:ab:",
    "/:b:o:x",
    "/:cat:/x",
    "a?'b':o:'c'",
    'a?"b":o:"c"',
    "a?`b`:o:`c`",
    "a?'':o:''",
    "a?‘b’:o:‘c’",
    "a?'b!':o:(c)",
    "a?f(b):o:[c]",
    "a?[b]:o:$c",
  ])("finds no emoji in %s", (text) => {
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
    ["really?:cat:", "really?🐱"],
    [":cat:/:x:", "🐱/❌"],
    [":cat:好", "🐱好"],
    [":cat:...", "🐱..."],
    ["':cat:'", "'🐱'"],
    ['":cat:" (:o:)', '"🐱" (⭕)'],
    ["*':cat:'*", "*'🐱'*"],
    ["“:cat:”", "“🐱”"],
    ["(yes):cat:", "(yes)🐱"],
    ["'yes':cat: 'no'", "'yes'🐱 'no'"],
  ])("finds the emoji in %s", (text, shown) => {
    expect(emojify(text)).toBe(shown);
  });

  it("finds no emoji by property names that every object has", () => {
    expect(emojiOf("constructor")).toBeUndefined();
    expect(emojify(":constructor:")).toBe(":constructor:");
  });

  it("finds the requested number of emoji by part of their name", () => {
    expect(findEmoji("hea", 3)[0]).toEqual({ name: "heart", character: "❤️" });
    expect(findEmoji("a", 2)).toHaveLength(2);
  });

  it("finds emoji by common words, common emoji first, without duplicates", () => {
    const first = (part: string) => findEmoji(part, 1)[0]?.character;
    expect(["thumb", "ok", "fire", "clap"].map(first)).toEqual(["👍", "👌", "🔥", "👏"]);
    const characters = findEmoji("1", 50).map(({ character }) => character);
    expect(new Set(characters).size).toBe(characters.length);
  });

  it("lists recently used emoji first in a search", () => {
    expect(findEmoji("thi", 1)[0]?.character).toBe("🤔");
    expect(findEmoji("h", 1, ["🐝"])[0]).toEqual({ name: "honeybee", character: "🐝" });
  });

  it("shows the skin tone of the short name", () => {
    expect(emojify(":wave_medium_skin_tone: :+1_dark_skin_tone:")).toBe("👋🏽 👍🏿");
    expect(emojify(":wave_medium_light_skin_tone:")).toBe("👋🏼");
    expect(emojiOf("fire_dark_skin_tone")).toBeUndefined();
    expect(emojiOf("constructor_dark_skin_tone")).toBeUndefined();
    expect(shortNameOf("👋🏽")).toBe("wave_medium_skin_tone");
  });

  it("finds the short name with and without the variation selector", () => {
    expect([shortNameOf("❤️"), shortNameOf("❤"), shortNameOf("x")]).toEqual(["heart", "heart", undefined]);
  });
});

describe("messages of emoji only", () => {
  it.each(["👍", ":+1:", "👍 🎉", "👩‍👩‍👧‍👦", "🇨🇭🇯🇵", "👋🏽", "❤️", "1️⃣"])("recognizes %j", (text) => {
    expect(isEmojiOnly(text)).toBe(true);
  });

  it.each(["", " ", "ok 👍", "1", "12", "#", "©", ":no-such-emoji:", "👍".repeat(11)])(
    "does not recognize %j",
    (text) => {
      expect(isEmojiOnly(text)).toBe(false);
    },
  );
});
