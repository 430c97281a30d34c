import { expect, it } from "vitest";
import { treesInTime } from "#app/(demo)/_chat/message/trees-in-time.ts";

/** Creates a clock that advances by so many ms at each reading. */
function clockOf(stepMs: number): () => number {
  let timeMs = 0;
  return () => {
    timeMs += stepMs;
    return timeMs;
  };
}

const texts = Array.from({ length: 40 }, (_, index) => `**${index}**`);

it("parses the first texts, and none after the time is up", () => {
  const trees = treesInTime(texts, 100, clockOf(30));
  expect([...trees.keys()]).toEqual(["**0**", "**1**", "**2**"]);
});

it("parses every formatted text of a usual page, and no plain one", () => {
  const trees = treesInTime([...texts, "plain"], 100, clockOf(1));
  expect([...trees.keys()]).toEqual(texts);
});
