import { describe, expect, it } from "vitest";
import { emojify, emojiOf, findEmoji, shortNameOf } from "#app/(demo)/_chat/emoji/emojify.ts";

describe("emoji", () => {
  it("stand for their known short names alone", () => {
    expect(emojify("ship it :rocket: :+1: :nothing_such: 10:30:00")).toBe(
      "ship it 🚀 👍 :nothing_such: 10:30:00",
    );
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
