import { describe, expect, it } from "vitest";
import { isEmojiOnly } from "#app/(demo)/_chat/emoji/emojify.ts";

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
