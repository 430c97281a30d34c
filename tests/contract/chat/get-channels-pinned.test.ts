import { describe, expect, it } from "vitest";
import { openChatWorld } from "../../harness/open-chat-world.ts";
import type { AnyBody } from "../../harness/start-chat-world.ts";

const { world, alice, bob, carol } = await openChatWorld("alice", "bob", "carol");

const pin = (channelId: string, postId: string) =>
  alice.api("POST", `/channels/${channelId}/posts/${postId}/pin`, { pin: true });
const pinned = async (channelId: string): Promise<AnyBody> => {
  const { status, body } = await alice.api("GET", `/channels/${channelId}/pinned`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};

describe("GET /channels/{channel_id}/pinned", () => {
  it("lists and counts pinned posts with their authors, latest first", async () => {
    const room = await world.makeChannel([alice, bob]);
    const first = await alice.post(room, "first");
    const second = await bob.post(room, "second");
    await alice.post(room, "not pinned");
    for (const { id } of [second, first]) await pin(room, id);
    const { posts, users, total } = await pinned(room);
    expect(posts.map(({ id }: AnyBody) => id)).toEqual([second.id, first.id]);
    expect(posts[0]).toMatchObject({ message: "second", is_pinned: true });
    expect([users[alice.id].username, users[bob.id].username, total]).toEqual(["alice", "bob", 2]);
    expect(JSON.stringify(users)).not.toMatch(/email|notify_props|roles/);
  });

  it("returns 403 for non-members of a private channel, and takes at most two Mattermost calls for members", async () => {
    const room = await world.makeChannel([alice], { type: "P" });
    const post = await alice.post(room, "secret");
    await pin(room, post.id);
    expect((await carol.api("GET", `/channels/${room}/pinned`)).status).toBe(403);
    world.proxy.forget();
    await pinned(room);
    expect(world.proxy.calls().length).toBeLessThanOrEqual(2);
  });
});
