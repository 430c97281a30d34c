import { describe, expect, it } from "vitest";
import { openChatWorld } from "../../harness/open-chat-world.ts";
import type { AnyBody } from "../../harness/start-chat-world.ts";

const { world, alice, bob } = await openChatWorld("alice", "bob");
const room = await world.makeChannel([alice, bob]);

describe("PATCH /channels/{channel_id}/posts/{post_id}", () => {
  const edit = (postId: string, message: unknown, who = alice, id = room) =>
    who.api("PATCH", `/channels/${id}/posts/${postId}`, { message });
  const textOf = async (postId: string) =>
    (await alice.mattermost<AnyBody>("GET", `/posts/${postId}`)).body.message;

  it("edits the author's message", async () => {
    const post = await alice.post(room, "before");
    const { status, body } = await edit(post.id, " after ");
    expect(status).toBe(200);
    expect(body.post).toMatchObject({ id: post.id, message: "after" });
    expect(body.post.edit_at).toBeGreaterThan(0);
  });

  it("returns 400 for invisible characters alone and changes nothing", async () => {
    const post = await alice.post(room, "seen");
    const { status, body } = await edit(post.id, "\u200b\u3164");
    expect([status, body.code]).toEqual([400, "invalid_request"]);
    expect(await textOf(post.id)).toBe("seen");
  });

  it("accepts 16383 characters even if JSON escapes each of them", async () => {
    const post = await alice.post(room, "short");
    const path = `/channels/${room}/posts/${post.id}`;
    const { status } = await alice.api("PATCH", path, `{"message":"${"\\ud83d\\ude00".repeat(16_383)}"}`);
    expect([status, await textOf(post.id)]).toEqual([200, "😀".repeat(16_383)]);
  });

  it("returns 403 for another user's message", async () => {
    const post = await alice.post(room, "hers");
    expect((await edit(post.id, "mine", bob)).status).toBe(403);
    expect(await textOf(post.id)).toBe("hers");
  });

  it("returns 404 for a post of another channel and changes nothing", async () => {
    const other = await world.makeChannel([alice]);
    const post = await alice.post(other, "elsewhere");
    expect((await edit(post.id, "changed")).status).toBe(404);
    expect(await textOf(post.id)).toBe("elsewhere");
    expect((await edit("z".repeat(26), "changed")).status).toBe(404);
  });

  it("returns 404 for a deleted post", async () => {
    const post = await alice.post(room, "gone");
    await alice.api("DELETE", `/channels/${room}/posts/${post.id}`);
    expect((await edit(post.id, "back")).status).toBe(404);
  });

  it.each([undefined, "", "  ", 1, "x".repeat(16_384)])(
    "returns 400 for a missing, blank, non-text or overlong message (%#)",
    async (message) => {
      const post = await alice.post(room, "stays");
      expect((await edit(post.id, message)).status).toBe(400);
      expect(await textOf(post.id)).toBe("stays");
    },
  );

  it("passes a long message on to a Mattermost that accepts longer ones", async () => {
    const post = await alice.post(room, "short");
    const longer = { ...post, message: "x".repeat(16_384) };
    world.proxy.treat(({ path }) =>
      path.endsWith("/patch") ? { status: 200, text: JSON.stringify(longer) } : "pass",
    );
    const { status, body } = await edit(post.id, longer.message);
    world.proxy.treat(() => "pass");
    expect([status, body.post?.message.length]).toEqual([200, 16_384]);
  });

  it("takes 2 Mattermost calls for a post's first edit, and 1 for the next", async () => {
    const post = (await alice.mattermost<AnyBody>("POST", "/posts", { channel_id: room, message: "x" })).body;
    world.proxy.forget();
    await edit(post.id, "y");
    expect(world.proxy.calls()).toHaveLength(2);
    world.proxy.forget();
    await edit(post.id, "z");
    expect(world.proxy.calls()).toHaveLength(1);
  });
});
