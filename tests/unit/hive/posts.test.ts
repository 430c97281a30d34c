import { describe, expect, it } from "vitest";
import { postAt } from "../../../lib/hive/posts.ts";

const at = (address: string) => {
  const post = postAt(new URL(address));
  return post && `${post.author}/${post.permlink}`;
};

describe("postAt", () => {
  it.each([
    ["https://hive.blog/@alice/a-walk", "alice/a-walk"],
    ["https://hive.blog/hive-174578/@alice/a-walk", "alice/a-walk"],
    ["https://www.peakd.com/hive-174578/@alice/a-walk/", "alice/a-walk"],
    ["https://beta.peakd.com/c/hive-174578/@alice/a-walk?ref=bob", "alice/a-walk"],
    ["https://ecency.com/%EC%98%88%EC%88%A0/@al.ice-x/a-walk", null],
    ["https://ecency.com/%EC%98%88%EC%88%A0/@alice.bob/a-walk", "alice.bob/a-walk"],
    ["https://hive.blog/hive-1/@alice/a-walk#@bob/re-alice-a-walk", "bob/re-alice-a-walk"],
    ["https://hive.blog/hive-1/@alice/a-walk#comments", "alice/a-walk"],
    ["https://inleo.io/threads/view/alice/re-leothreads-x1", "alice/re-leothreads-x1"],
    ["https://inleo.io/@alice/a-walk", "alice/a-walk"],
    ["https://3speak.tv/watch?v=alice/abcdefgh", "alice/abcdefgh"],
    ["https://d.buzz/#/@alice/c/a-buzz", "alice/a-buzz"],
    ["http://peakd.com/@alice/A_walk.2", "alice/A_walk.2"],
  ])("reads %s as %s", (address, post) => {
    expect(at(address)).toBe(post);
  });

  it.each([
    "https://hive.blog/@alice",
    "https://hive.blog/@alice/",
    "https://hive.blog/trending/hive-174578",
    "https://hive.blog/@Alice/a-walk",
    "https://hive.blog/@al/a-walk",
    "https://hive.blog/@alice/a/b",
    "https://hive.blog.example.com/@alice/a-walk",
    "https://nothive.blog/@alice/a-walk",
    "https://medium.com/@alice/a-walk",
    "ftp://hive.blog/@alice/a-walk",
    "https://3speak.tv/watch?v=alice",
    `https://hive.blog/@alice/${"a".repeat(256)}`,
  ])("finds no post in %s", (address) => {
    expect(at(address)).toBeNull();
  });
});
