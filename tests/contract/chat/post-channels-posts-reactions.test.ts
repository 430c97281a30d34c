import { describe, expect, it } from "vitest";
import { openChatWorld } from "../../harness/open-chat-world.ts";
import type { AnyBody } from "../../harness/start-chat-world.ts";

const { world, alice, bob } = await openChatWorld("alice", "bob");
const room = await world.makeChannel([alice, bob]);

describe("POST /channels/{channel_id}/posts/{post_id}/reactions", () => {
  const react = (postId: string, body: unknown, who = bob, id = room) =>
    who.api("POST", `/channels/${id}/posts/${postId}/reactions`, body);
  const reactionsOf = async (postId: string): Promise<string[]> => {
    const { body } = await alice.api("GET", `/channels/${room}/posts?around=${postId}`);
    const post = body.posts.find(({ id }: AnyBody) => id === postId);
    return (post.metadata.reactions ?? []).map(
      (reaction: AnyBody) => `${reaction.user_id} ${reaction.emoji_name}`,
    );
  };

  it.each(["thumbsup", "+1"])("adds and removes %s, repeatably", async (emoji) => {
    const post = await alice.post(room, "react to me");
    for (let times = 0; times < 2; times += 1) {
      const { status, body } = await react(post.id, { emoji, add: true });
      expect([status, body]).toEqual([200, { ok: true }]);
      expect(await reactionsOf(post.id)).toEqual([`${bob.id} ${emoji}`]);
    }
    for (let times = 0; times < 2; times += 1) {
      const { status, body } = await react(post.id, { emoji, add: false });
      expect([status, body]).toEqual([200, { ok: true }]);
      expect(await reactionsOf(post.id)).toEqual([]);
    }
  });

  it.each([
    {},
    { emoji: "smile" },
    { add: true },
    { emoji: ":smile:", add: true },
    { emoji: "Smile", add: true },
    { emoji: "", add: true },
    { emoji: "a/b", add: false },
    { emoji: "x".repeat(65), add: true },
    { emoji: "smile", add: "yes" },
  ])("returns 400 for %j", async (body) => {
    const post = await alice.post(room, "x");
    const answer = await react(post.id, body);
    expect([answer.status, answer.body.code]).toEqual([400, "invalid_request"]);
    expect(await reactionsOf(post.id)).toEqual([]);
  });

  it("returns 404 for a post of another channel", async () => {
    const other = await world.makeChannel([alice, bob]);
    const post = await alice.post(other, "elsewhere");
    for (const add of [true, false]) expect((await react(post.id, { emoji: "smile", add })).status).toBe(404);
  });

  it("returns 403 for a non-member, without making them a member", async () => {
    const other = await world.makeChannel([alice]);
    const post = await alice.post(other, "not yours");
    expect((await react(post.id, { emoji: "smile", add: true }, bob, other)).status).toBe(403);
    const members = await world.admin<AnyBody[]>("GET", `/channels/${other}/members`);
    expect(members.map(({ user_id }) => user_id)).not.toContain(bob.id);
  });

  it("takes 2 Mattermost calls for a post's first reaction, and 1 to remove it", async () => {
    const post = (await alice.mattermost<AnyBody>("POST", "/posts", { channel_id: room, message: "x" })).body;
    world.proxy.forget();
    await react(post.id, { emoji: "smile", add: true });
    expect(world.proxy.calls()).toHaveLength(2);
    world.proxy.forget();
    await react(post.id, { emoji: "smile", add: false });
    expect(world.proxy.calls()).toHaveLength(1);
  });
});
