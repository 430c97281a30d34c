import { describe, expect, it } from "vitest";
import { callsEverybody } from "#app/(demo)/_chat/composer/calls-everybody.ts";

describe("a call to everybody", () => {
  it.each(["@all", "news for @channel.", "(@here)", "**@ALL**", "hi @here, all", "x\n@channel"])(
    "is %j",
    (message) => expect(callsEverybody(message)).toBe(true),
  );

  it.each(["@alice", "@channels", "me@here.org", "`@all`", "```\n@all\n```", "@here-we-go", "all", "@@all"])(
    "is not %j",
    (message) => expect(callsEverybody(message)).toBe(false),
  );
});
