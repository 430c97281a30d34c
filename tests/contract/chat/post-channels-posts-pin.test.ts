import { describe, expect, it } from "vitest";
import { openChatWorld } from "../../harness/open-chat-world.ts";
import type { AnyBody } from "../../harness/start-chat-world.ts";

const { world, alice, bob } = await openChatWorld("alice", "bob");

const pin = (who: typeof alice, channelId: string, postId: string, isPinned: unknown = true) =>
  who.api("POST", `/channels/${channelId}/posts/${postId}/pin`, { pin: isPinned });

describe("POST /channels/{channel_id}/posts/{post_id}/pin", () => {
  it("pins a post for everyone and unpins it, repeatably", async () => {
    const room = await world.makeChannel([alice, bob]);
    const post = await alice.post(room, "keep this");
    for (let times = 0; times < 2; times += 1)
      expect((await pin(bob, room, post.id)).body).toEqual({ ok: true });
    const shown = (await alice.api("GET", `/channels/${room}/posts`)).body.posts;
    expect(shown.find(({ id }: AnyBody) => id === post.id).is_pinned).toBe(true);
    for (let times = 0; times < 2; times += 1)
      expect((await pin(bob, room, post.id, false)).body).toEqual({ ok: true });
    expect((await alice.api("GET", `/channels/${room}/pinned`)).body.posts).toEqual([]);
  });

  it.each([{}, "yes", 1, null])("returns 400 for pin %j", async (value) => {
    const room = await world.makeChannel([alice]);
    const post = await alice.post(room, "x");
    expect((await pin(alice, room, post.id, value)).body.code).toBe("invalid_request");
  });

  it("returns 404 for posts of another channel, deleted ones and invisible ones", async () => {
    const [room, other] = [await world.makeChannel([alice]), await world.makeChannel([alice], { type: "P" })];
    const elsewhere = await alice.post(other, "elsewhere");
    expect((await pin(alice, room, elsewhere.id)).status).toBe(404);
    expect((await pin(bob, other, elsewhere.id)).status).toBe(404);
    const gone = await alice.post(room, "gone");
    await alice.api("DELETE", `/channels/${room}/posts/${gone.id}`);
    expect((await pin(alice, room, gone.id)).status).toBe(404);
  });

  it("returns 409 in an archived channel, and 403 for system messages", async () => {
    const room = await world.makeChannel([alice, bob]);
    const { posts } = (await alice.api("GET", `/channels/${room}/posts`)).body;
    const told = posts.find(({ type }: AnyBody) => type.startsWith("system_"));
    expect((await pin(alice, room, told.id)).status).toBe(403);
    const post = await alice.post(room, "too late");
    await world.admin("DELETE", `/channels/${room}`);
    const { status, body } = await pin(alice, room, post.id);
    expect([status, body.code]).toEqual([409, "conflict"]);
  });
});
