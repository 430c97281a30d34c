import { describe, expect, it } from "vitest";
import { toggleMark } from "#app/(demo)/_chat/composer/typed-text.ts";

const apply = (text: string, start: number, end: number, mark: string) => {
  const { from, to, insert, selectFrom } = toggleMark(text, start, end, mark);
  const next = text.slice(0, from) + insert + text.slice(to);
  return [next, next.slice(selectFrom, selectFrom + end - start)];
};

describe("a mark on what is selected", () => {
  it("is put on both sides, and the words stay selected", () => {
    expect(apply("so very well", 3, 7, "**")).toEqual(["so **very** well", "very"]);
  });

  it("is taken away where it is", () => {
    expect(apply("so **very** well", 5, 9, "**")).toEqual(["so very well", "very"]);
  });

  it("is put around the cursor where nothing is selected", () => {
    expect(apply("", 0, 0, "_")).toEqual(["__", ""]);
  });
});
