import { describe, expect, it } from "vitest";
import { isEmojiOnly } from "#app/(demo)/_chat/emoji/emojify.ts";

describe("a message of emoji alone", () => {
  it.each(["👍", ":+1:", "👍 🎉", "👩‍👩‍👧‍👦", "🇨🇭🇯🇵", "👋🏽", "❤️", "1️⃣"])("is %j", (text) => {
    expect(isEmojiOnly(text)).toBe(true);
  });

  it.each(["", " ", "ok 👍", "1", "12", "#", "©", ":no-such-emoji:", "👍".repeat(11)])(
    "is not %j",
    (text) => {
      expect(isEmojiOnly(text)).toBe(false);
    },
  );
});
