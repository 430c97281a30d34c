import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseSearch } from "../../../sandbox/mattermost/operations/search-posts.ts";

const DAY_MS = 86_400_000;

describe("terms of a post search", () => {
  it("are words, phrases, exclusions and hashtags", () => {
    const terms = parseSearch('tea "black tea" -milk #cup -"sugar cube" lem*', 0);
    expect(terms).toMatchObject({
      words: ["tea", '"black tea"', "lem*"],
      excluded: ["milk", '"sugar cube"'],
      hashtags: ["#cup"],
    });
  });

  it("name authors and literal channels, with or without a space, and exclude them by a dash", () => {
    expect(parseSearch("from:@Alice in: Town-square -from:bob -in:~off-topic", 0)).toMatchObject({
      from: ["alice"],
      in: ["Town-square"],
      notFrom: ["bob"],
      notIn: ["off-topic"],
      words: [],
    });
  });

  it("limit the time by whole days in the caller's time zone", () => {
    const day = Date.UTC(2026, 0, 31) - 3600 * 1000;
    expect(parseSearch("on:2026-01-31", 3600)).toMatchObject({ since: day, until: day + DAY_MS - 1 });
    expect(parseSearch("before:2026-01-31", 3600).until).toBe(day - 1);
    expect(parseSearch("after:2026-01-31", 3600).since).toBe(day + DAY_MS);
  });

  it("treat a meaningless modifier as a word", () => {
    expect(parseSearch("before:yesterday http://x", 0).words).toEqual(["before:yesterday", "http://x"]);
  });

  it("can be parsed from any text", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const { words, excluded, hashtags } = parseSearch(text, 0);
        for (const term of [...words, ...excluded, ...hashtags]) expect(text).toContain(term);
      }),
    );
  });
});
