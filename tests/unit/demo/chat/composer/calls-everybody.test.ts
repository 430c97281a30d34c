import { describe, expect, it } from "vitest";
import { callsEverybody } from "#app/(demo)/_chat/composer/calls-everybody.ts";

describe("mentions of everyone", () => {
  it.each([
    "@all",
    "news for @channel.",
    "(@here)",
    "**@ALL**",
    "hi @here, all",
    "x\n@channel",
    "_@channel_",
    ".@all",
    "-@here",
    "bob/@all",
    "@all_",
    "cc:@here",
    "x.@all",
  ])("finds a mention of everyone in %j", (message) => expect(callsEverybody(message)).toBe(true));

  it.each(["@alice", "@channels", "me@here.org", "`@all`", "```\n@all\n```", "@here-we-go", "all", "@@all"])(
    "finds no mention of everyone in %j",
    (message) => expect(callsEverybody(message)).toBe(false),
  );
});
