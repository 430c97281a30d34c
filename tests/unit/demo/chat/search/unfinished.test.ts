import { describe, expect, it } from "vitest";
import { isUnfinished } from "#app/(demo)/_chat/search/filter-names.tsx";

const known = {
  channels: [
    { handle: "narrow-lane", title: "Narrow Lane" },
    { handle: "narrow", title: "Narrow" },
  ],
  conversations: [{ handle: "a__b", title: "bob" }],
  people: [
    { handle: "bob", title: "Bob Stone" },
    { handle: "bobby", title: "" },
  ],
};

describe("an unfinished search filter", () => {
  it.each([
    "from:",
    "tapir in:",
    "-from:@",
    "in:~",
    "from:bo",
    "tapir -in:narrow l",
    'from:"Bob S',
    "in:@bo",
  ])("is found at the end of %j", (term) => {
    expect(isUnfinished(term, known)).toBe(true);
  });

  it.each([
    "tapir",
    "from:bob",
    "from:Bob Stone",
    "in:narrow",
    "in:Narrow Lane",
    "in:@bob",
    "from:stranger",
    "in:elsewhere",
    "in:nar tapir",
    'from:"Bob S"',
    "from:bobbing",
  ])("is not found at the end of %j", (term) => {
    expect(isUnfinished(term, known)).toBe(false);
  });
});
