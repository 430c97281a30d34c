import { describe, expect, it } from "vitest";
import { wordsForMentions } from "#lib/mention-words.ts";

const namesIn = (message: string) => [...wordsForMentions(message)].filter((word) => word.startsWith("@"));

describe("mentions next to code", () => {
  it.each([
    "well~~~ @bob",
    "begin it with ``` @bob",
    "~~~~\n@al\n~~~\n~~~~\n@bob",
    "```\n@al\n```\n@bob",
    "```ts\n@al\n~~~\n``` \n@bob",
    "``@al ` @al`` @bob",
    "```@al``` @bob",
    "a tick ` here\n\n@bob, and ` there",
  ])("finds only @bob in %j", (message) => expect(namesIn(message)).toEqual(["@bob"]));

  it.each(["`@bob`", "`of\n@bob`", "~~~\n@bob", "- ```\n  @bob\n  ```", "> ~~~\n> @bob"])(
    "finds no mention in %j",
    (message) => expect(namesIn(message)).toEqual([]),
  );

  it("reads text that is only backticks quickly", () => {
    const runs = Array.from({ length: 175 }, (_, length) => "`".repeat(length + 1));
    const startedAt = performance.now();
    for (let times = 0; times < 50; times++) wordsForMentions(runs.join(" "));
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});
