import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { quickReactionNames, recentEmoji, rememberEmoji } from "#app/(demo)/_chat/emoji/recent-emoji.ts";
import { memoryStorage } from "#tests/harness/memory-storage.ts";
import { unique } from "#tests/harness/unique.ts";

const usual = ["👍", "❤️", "😂", "🎉", "👀"];

describe("recent emoji", () => {
  beforeEach(() => void vi.stubGlobal("localStorage", memoryStorage()));
  afterEach(() => void vi.unstubAllGlobals());

  it("starts with the usual emoji", () => {
    expect(recentEmoji("alice")).toEqual(usual);
    expect(quickReactionNames("alice")).toEqual(["+1", "heart", "joy", "tada", "eyes"]);
  });

  it("lists the latest emoji first, each once, per person", () => {
    for (const character of ["🚀", "🎉", "🚀"]) rememberEmoji("alice", character);
    expect(recentEmoji("alice")).toEqual(["🚀", "🎉", "👍", "❤️", "😂", "👀"]);
    expect(quickReactionNames("alice")).toEqual(["rocket", "tada", "+1", "heart", "joy"]);
    expect(recentEmoji("bob")).toEqual(usual);
  });

  it("leaves emoji for which Mattermost has no name out of the quick reactions", () => {
    rememberEmoji("alice", "🫨");
    expect(recentEmoji("alice")[0]).toBe("🫨");
    expect(quickReactionNames("alice")).toHaveLength(5);
    expect(quickReactionNames("alice")[0]).toBe("+1");
  });

  it("lists emoji only, of any kind", () => {
    localStorage.setItem("hivegate.emoji.alice", JSON.stringify(["#", "/", "🐝"]));
    for (const character of ["#", "/", "a", "🇪🇸", "#️⃣", "👍🏽", "❤️"]) rememberEmoji("alice", character);
    expect(recentEmoji("alice").slice(0, 5)).toEqual(["❤️", "👍🏽", "#️⃣", "🇪🇸", "🐝"]);
  });

  it("lists up to sixteen emoji", () => {
    for (let index = 0; index < 40; index++) rememberEmoji("alice", String.fromCodePoint(0x1f600 + index));
    expect(recentEmoji("alice")).toHaveLength(16);
    expect(recentEmoji("alice")[0]).toBe(String.fromCodePoint(0x1f600 + 39));
  });

  it("falls back to the usual emoji if the stored text is invalid", () => {
    for (const text of ["{", '{"a":1}', '[1,"",null]', JSON.stringify(["x".repeat(999)])]) {
      localStorage.setItem("hivegate.emoji.alice", text);
      expect(recentEmoji("alice")).toEqual(usual);
    }
  });

  it("lists a used emoji for as long as the page lasts if storage is denied", () => {
    vi.stubGlobal("localStorage", undefined);
    const dora = unique("dora");
    expect(recentEmoji(dora)).toEqual(usual);
    rememberEmoji(dora, "🚀");
    expect(recentEmoji(dora)[0]).toBe("🚀");
  });
});
