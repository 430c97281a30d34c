import { describe, expect, it } from "vitest";
import { fold, rankOf } from "#app/(demo)/_chat/search/rank.ts";

const order = (term: string, titles: readonly string[]) =>
  titles
    .map((title) => ({ title, rank: rankOf(fold(term), title, title.toLowerCase().replaceAll(" ", "-")) }))
    .filter(({ rank }) => rank !== null)
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
    .map(({ title }) => title);

describe("rank of a match", () => {
  it("ranks titles that start with the term before titles that contain it", () => {
    expect(order("no", ["Announcements", "Nodes", "Off"])).toEqual(["Nodes", "Announcements"]);
  });

  it("ranks word starts after title starts, and before matches within words", () => {
    expect(order("art", ["Party", "Pixel Art", "Artists", "Q&Art"])).toEqual([
      "Artists",
      "Pixel Art",
      "Q&Art",
      "Party",
    ]);
  });

  it("ranks a handle after a title", () => {
    expect(rankOf("town", "Lobby", "town-square")).toBe(2);
    expect(rankOf("square", "Lobby", "town-square")).toBe(2);
    expect(rankOf("quare", "Lobby", "town-square")).toBe(3);
  });

  it("ignores case and accents, and accepts several words", () => {
    expect(rankOf(fold("CANON"), "El Cañón", "x")).toBe(1);
    expect(rankOf(fold("pixel a"), "The Pixel Art", "x")).toBe(1);
    expect(rankOf(fold("日本"), "雑談・日本語", "x")).toBe(1);
  });

  it("returns null without a match", () => {
    expect(rankOf("zz", "Nodes", "nodes")).toBeNull();
  });
});
