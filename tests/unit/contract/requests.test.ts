import { describe, expect, it } from "vitest";
import {
  ChannelSearchRequest,
  NewPostRequest,
  PostSearchRequest,
  PostsQuery,
  ReactionRequest,
} from "../../../lib/contract/requests.ts";

const isTaken = (schema: { safeParse(value: unknown): { success: boolean } }, value: unknown) =>
  schema.safeParse(value).success;

describe("request schemas", () => {
  it("defaults to 40 posts per page, and accepts 1 to 200", () => {
    expect(PostsQuery.parse({})).toEqual({ per_page: 40 });
    expect(["1", "200"].map((per_page) => PostsQuery.parse({ per_page }).per_page)).toEqual([1, 200]);
    for (const per_page of ["0", "201", "1.5", "", "x", "0x10", "1e1", " 5", "+5", "-5"])
      expect(isTaken(PostsQuery, { per_page }), per_page).toBe(false);
  });

  it("accepts an emoji's short name of 1 to 64 lower-case letters, digits and _ + -", () => {
    for (const emoji of ["+1", "thumbsup", "a-b_c", "x".repeat(64)])
      expect(isTaken(ReactionRequest, { emoji, add: true }), emoji).toBe(true);
    for (const emoji of ["", "x".repeat(65), ":+1:", "Smile", "é", "a b", 1])
      expect(isTaken(ReactionRequest, { emoji, add: true }), String(emoji)).toBe(false);
  });

  it("accepts a trimmed message of 1 to 16383 code points", () => {
    expect(NewPostRequest.parse({ message: "  hi\n" }).message).toBe("hi");
    expect(isTaken(NewPostRequest, { message: ` ${"\u{1F600}".repeat(16_383)} ` })).toBe(true);
    for (const message of ["", " \t\u00a0", "x".repeat(16_384), "a\0b"])
      expect(isTaken(NewPostRequest, { message })).toBe(false);
  });

  it("requires a search term of up to 512 characters", () => {
    expect(ChannelSearchRequest.parse({ term: " x " })).toEqual({ term: "x" });
    expect(isTaken(ChannelSearchRequest, { term: "x".repeat(512) })).toBe(true);
    expect(isTaken(ChannelSearchRequest, { term: "x".repeat(513) })).toBe(false);
    expect(PostSearchRequest.parse({ term: "x" })).toEqual({ term: "x", page: 0, per_page: 20 });
    expect(isTaken(PostSearchRequest, { term: " " })).toBe(false);
  });
});
