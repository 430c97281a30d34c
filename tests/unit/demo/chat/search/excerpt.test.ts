import { describe, expect, it } from "vitest";
import { excerptOf, patternOf } from "#app/(demo)/_chat/search/excerpt.ts";

describe("excerpts of found messages", () => {
  it("highlights the words of a search, not its operators", () => {
    const parts = "Coffee from Alice".split(patternOf('from:alice "coffee" -tea') ?? "");
    expect(parts).toEqual(["", "Coffee", " from Alice"]);
    expect(patternOf("from:alice in:town-hall")).toBeNull();
  });

  it("ignores excluded words", () => {
    const parts = "coffee without tea or black milk".split(patternOf('coffee -tea -"black milk"') ?? "");
    expect(parts).toEqual(["", "coffee", " without tea or black milk"]);
    expect(patternOf("-tea")).toBeNull();
  });

  it("treats special characters of a search literally", () => {
    expect("a+b (c) a.b".split(patternOf("a+b (c)") ?? "")).toEqual(["", "a+b", " ", "(c)", " a.b"]);
  });

  it("starts at the beginning if the match is near it", () => {
    expect(excerptOf("A short one", patternOf("short"))).toBe("A short one");
    expect(excerptOf("x".repeat(1_000), null)).toHaveLength(400);
  });

  it("starts at the line of a late match, so that no markup is cut", () => {
    const text = `${"Not here.\n".repeat(20)}- **the wombat** itself\nand after`;
    expect(excerptOf(text, patternOf("wombat"))).toBe("…- **the wombat** itself\nand after");
  });

  it("starts at a word within a long line, or at the match", () => {
    const excerpt = excerptOf(`${"word ".repeat(60)}wombat`, patternOf("wombat"));
    expect(excerpt).toMatch(/^…(?:word ){8}wombat$/);
    expect(excerptOf(`${"x".repeat(300)}wombat`, patternOf("wombat"))).toBe("…wombat");
  });
});
