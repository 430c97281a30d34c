import { describe, expect, it } from "vitest";
import { groupReactions, ownNamesOf } from "#app/(demo)/_chat/data/reaction-groups.ts";
import { withoutReaction, withReaction } from "#app/(demo)/_chat/data/reactions.ts";
import { samplePost } from "#tests/harness/sample-post.ts";

const by = (userId: string, emojiName: string) => ({ userId, emojiName, postId: "p" });

describe("reactions", () => {
  it("counts a person's emoji once", () => {
    const post = withReaction(withReaction(samplePost("p"), by("bob", "tada")), by("bob", "tada"));
    expect(groupReactions(post)).toEqual([{ emoji: "tada", userIds: ["bob"] }]);
  });

  it("groups reactions by emoji, in order of first use", () => {
    const all = [by("bob", "tada"), by("eve", "eyes"), by("eve", "tada")];
    expect(groupReactions(all.reduce(withReaction, samplePost("p")))).toEqual([
      { emoji: "tada", userIds: ["bob", "eve"] },
      { emoji: "eyes", userIds: ["eve"] },
    ]);
  });

  it("groups both names of an emoji together, each person once", () => {
    const all = [by("bob", "+1"), by("eve", "thumbsup"), by("bob", "thumbsup")];
    const post = all.reduce(withReaction, samplePost("p"));
    expect(groupReactions(post)).toEqual([{ emoji: "+1", userIds: ["bob", "eve"] }]);
    expect(ownNamesOf(post, "bob", "+1")).toEqual(["+1", "thumbsup"]);
    expect(ownNamesOf(post, "eve", "tada")).toEqual([]);
  });

  it("removes only one person's reaction", () => {
    const both = [by("bob", "tada"), by("eve", "tada")].reduce(withReaction, samplePost("p"));
    expect(groupReactions(withoutReaction(both, by("bob", "tada")))).toEqual([
      { emoji: "tada", userIds: ["eve"] },
    ]);
    expect(groupReactions(withoutReaction(samplePost("p"), by("bob", "tada")))).toEqual([]);
  });
});
