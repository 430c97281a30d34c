import { describe, expect, it } from "vitest";
import { findFilter, isUnspaced, serverTermOf } from "#app/(demo)/_chat/search/server-term.ts";

const known = {
  channels: [
    { handle: "pixel-art", title: "Pixel Art" },
    { handle: "hive-3", title: "Pixel" },
    { handle: "canon", title: "El Cañón" },
    { handle: "town-square", title: "Town Square" },
  ],
  conversations: [
    { handle: "id1__id2", title: "bob" },
    { handle: "id1__id2", title: "Bob Dylan" },
    { handle: "group-hash", title: "bob, carol, dave" },
    { handle: "id1__id3", title: "canon" },
  ],
  people: [{ handle: "alice", title: "Alice Cooper" }],
};
const asked = (term: string) => serverTermOf(term, known);

describe("search term for the server", () => {
  it("searches words by their beginning", () => {
    expect(asked("hack day")).toBe("hack* day*");
    expect(asked("日本")).toBe("日本*");
    expect(asked("猫")).toBe("猫*");
  });

  it("treats words with inner or trailing punctuation as prefixes", () => {
    for (const term of ["hack!", "hack,", "hack…", "hack?!", "hack)"]) expect(asked(term)).toBe("hack*");
    for (const term of ["well-kn", "don't", "don’t", "node.js", "a+b", "and/or", "@bo", "bob@exam", "3.14"])
      expect(asked(term)).toBe(`${term}*`);
    expect(asked("日本！")).toBe("日本*");
  });

  it("preserves phrases, tags, exclusions, operators and single letters", () => {
    for (const term of [
      '"hack day"',
      "#hack",
      "-hack",
      "hack*",
      "a|b",
      "rock!roll",
      "https://a.example",
      "x",
      "c++",
    ])
      expect(asked(term)).toBe(term);
  });

  it("resolves titles after in:, quoted, with or without spaces, the longest match first", () => {
    for (const term of ["in:Pixel Art bee", 'in:"Pixel Art" bee', "in:pixelart bee", "in:~pixel-art bee"])
      expect(asked(term).replace("~", "")).toBe("in:pixel-art bee*");
    expect(asked("in:pixel bee")).toBe("in:hive-3 bee*");
    expect(asked("in:ElCanon")).toBe("in:canon");
    expect([asked("in:Canon bee"), asked("-in:~CANON")]).toEqual(["in:canon bee*", "-in:~canon"]);
    expect(asked("-in:Town Square bee")).toBe("-in:town-square bee*");
  });

  it("resolves conversations after in: by their partners' names", () => {
    for (const term of ["in:@bob bee", "in:bob bee", "in:Bob Dylan bee", 'in:"bob dylan" bee'])
      expect(asked(term)).toBe("in:id1__id2 bee*");
    expect(asked('in:"bob, carol, dave" bee')).toBe("in:group-hash bee*");
    expect(asked("-in:@bob 猫")).toBe("-in:id1__id2 猫*");
    expect([asked("in:canon"), asked("in:@canon")]).toEqual(["in:canon", "in:id1__id3"]);
    expect(asked("in:@nobody")).toBe("in:@nobody");
  });

  it("resolves full names after from:", () => {
    for (const term of ["from:Alice Cooper bee", "from:@alice bee", 'from:"alice cooper" bee'])
      expect(asked(term).replace("@", "")).toBe("from:alice bee*");
  });

  it("preserves unknown names", () => {
    expect(asked("in:nowhere from:nobody before:2026-12-31")).toBe(
      "in:nowhere from:nobody before:2026-12-31",
    );
  });
});

describe("unfinished search filters", () => {
  it("finds a filter in: or from: at the end, even if its name contains spaces", () => {
    expect(findFilter("bee in:Pixel A")).toEqual({ kind: "in", part: "Pixel A", start: 7 });
    expect(findFilter("from:@al")).toEqual({ kind: "from", part: "al", start: 6 });
    expect(findFilter("in:")).toEqual({ kind: "in", part: "", start: 3 });
    for (const term of ["begin:x", "in:a before:2026", "bee", 'in:"a"']) expect(findFilter(term)).toBeNull();
  });
});

it("recognizes words of scripts without spaces", () => {
  expect(["日本語", "ラーメン", "안녕", "ภาษา", "día", "hack"].map(isUnspaced)).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
});
