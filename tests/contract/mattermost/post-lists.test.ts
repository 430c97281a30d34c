import { expect, it } from "vitest";
import { describeMattermost, type Person } from "./support/world.ts";

type Post = {
  id: string;
  create_at: number;
  update_at: number;
  delete_at: number;
  message: string;
  root_id: string;
  reply_count: number;
  participants: { id: string; username: string }[] | null;
};

describeMattermost("lists of posts", (world) => {
  async function filled(count: number) {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const channel = await world.channel([alice, bob]);
    const posts: Post[] = [];
    for (let index = 0; index < count; index += 1)
      posts.push(await world.post(alice, channel.id, `post ${index}`));
    const list = async (query: string) => {
      const { status, body } = await world.call(bob, "GET", `/channels/${channel.id}/posts?${query}`);
      expect(status).toBe(200);
      return body as {
        order: string[];
        posts: Record<string, Post>;
        next_post_id: string;
        prev_post_id: string;
      };
    };
    return { alice, bob, channel, posts, list, ids: posts.map(({ id }) => id) };
  }

  it("pages list posts newest first", async () => {
    const { list, ids } = await filled(5);
    const first = await list("per_page=2");
    expect(first.order).toEqual([ids[4], ids[3]]);
    expect(first.next_post_id).toBe("");
    expect(first.prev_post_id).toBe(ids[2]);
    expect(Object.keys(first.posts).sort()).toEqual([...first.order].sort());
    const second = await list("per_page=2&page=1");
    expect(second.order).toEqual([ids[2], ids[1]]);
    expect(second.next_post_id).toBe(ids[3]);
    expect(second.prev_post_id).toBe(ids[0]);
    expect("first_inaccessible_post_time" in first).toBe(world.answers.hasInaccessibleTime);
  });

  it("`before` returns the next older posts", async () => {
    const { list, ids } = await filled(5);
    const older = await list(`before=${ids[3]}&per_page=2`);
    expect(older.order).toEqual([ids[2], ids[1]]);
    expect(older.next_post_id).toBe(ids[3]);
    expect(older.prev_post_id).toBe(ids[0]);
  });

  it("`after` returns the closest newer posts, newest first, and wins over `before`", async () => {
    const { list, ids } = await filled(5);
    const newer = await list(`after=${ids[1]}&per_page=2`);
    expect(newer.order).toEqual([ids[3], ids[2]]);
    expect(newer.prev_post_id).toBe(ids[1]);
    expect(newer.next_post_id).toBe(ids[4]);
    const both = await list(`after=${ids[1]}&before=${ids[4]}&per_page=2`);
    expect(both.order).toEqual([ids[3], ids[2]]);
    const end = await list(`after=${ids[4]}`);
    expect(end.order).toEqual([]);
  });

  it("`since` returns posts edited later, and those deleted later without their text", async () => {
    const { alice, list, posts } = await filled(4);
    const since = posts[3]?.update_at ?? 0;
    await alice.client.patchPost({ id: posts[0]?.id, message: "edited" } as never);
    await alice.client.deletePost(posts[1]?.id ?? "");
    const changed = await list(`since=${since}`);
    expect(changed.posts[posts[0]?.id ?? ""]).toMatchObject({ message: "edited" });
    const deleted = changed.posts[posts[1]?.id ?? ""];
    expect(deleted?.message).toBe("");
    expect(deleted?.delete_at).toBeGreaterThan(0);
    expect(changed.posts).not.toHaveProperty(posts[2]?.id ?? "");
    expect([changed.next_post_id, changed.prev_post_id]).toEqual(["", ""]);
  });

  it("lists without `since` omit deleted posts", async () => {
    const { alice, list, ids } = await filled(3);
    await alice.client.deletePost(ids[1] ?? "");
    const { order } = await list("per_page=3");
    expect(order).toContain(ids[2]);
    expect(order).not.toContain(ids[1]);
  });

  it("replies are listed as posts, and their roots returned with them", async () => {
    const { alice, channel, list, ids } = await filled(3);
    const reply = await world.post(alice, channel.id, "reply", { root_id: ids[0] });
    const newest = await list("per_page=1");
    expect(newest.order).toEqual([reply.id]);
    expect(Object.keys(newest.posts).sort()).toEqual([reply.id, ids[0]].sort());
  });

  it("a collapsed list has only roots, with their reply counts", async () => {
    const { alice, channel, list, ids } = await filled(2);
    const reply = await world.post(alice, channel.id, "reply", { root_id: ids[0] });
    const { order, posts } = await list("collapsedThreads=true&per_page=2");
    expect(order).toEqual([ids[1], ids[0]]);
    expect(posts).not.toHaveProperty(reply.id);
    expect(posts[ids[0] ?? ""]).toMatchObject({ reply_count: 1, last_reply_at: reply.create_at });
  });

  it("a collapsed page lists participants, the latest last, with all their fields on request", async () => {
    const { alice, bob, channel, list, ids } = await filled(3);
    const asked = `before=${ids[2]}&per_page=2&collapsedThreads=true`;
    for (const person of [alice, bob, alice])
      await world.post(person, channel.id, "reply", { root_id: ids[0] });
    const { order, posts } = await list(`${asked}&collapsedThreadsExtended=true`);
    expect(order).toEqual([ids[1], ids[0]]);
    expect(posts[ids[0] ?? ""]).toMatchObject({
      reply_count: 3,
      participants: [
        { id: bob.id, username: bob.username },
        { id: alice.id, username: alice.username },
      ],
    });
    expect(posts[ids[1] ?? ""]).toMatchObject({ reply_count: 0, last_reply_at: 0, participants: null });
    const sparse = (await list(asked)).posts[ids[0] ?? ""]?.participants;
    expect(sparse).toMatchObject([{ id: bob.id, username: "" }, { id: alice.id }]);
  });

  it("reply counts appear in lists without threads and in pages before or after a given post", async () => {
    const { alice, channel, list, ids } = await filled(3);
    await world.post(alice, channel.id, "reply", { root_id: ids[1] });
    const counted = async (query: string) => (await list(query)).posts[ids[1] ?? ""]?.reply_count;
    for (const query of ["", "per_page=1", "since=1"]) {
      expect([query, await counted(query)]).toEqual([query, 0]);
      expect([query, await counted(`${query}&skipFetchThreads=true`)]).toEqual([query, 1]);
    }
    expect(await counted(`before=${ids[2]}`)).toBe(1);
    expect(await counted(`after=${ids[0]}`)).toBe(1);
  });

  it("pinned posts are listed oldest first", async () => {
    const { alice, channel, ids } = await filled(3);
    for (const id of [ids[2], ids[0]]) await world.call(alice, "POST", `/posts/${id}/pin`);
    const { body } = await world.call(alice, "GET", `/channels/${channel.id}/pinned`);
    expect(body.order).toEqual([ids[0], ids[2]]);
  });

  it("a thread is returned collapsed, alone, or in pages in the requested direction", async () => {
    const { alice, channel, ids } = await filled(1);
    const root = ids[0];
    const replies: string[] = [];
    for (const text of ["one", "two"])
      replies.push((await world.post(alice, channel.id, text, { root_id: root })).id);
    const thread = async (id: string | undefined, query: string) =>
      (await world.call(alice, "GET", `/posts/${id}/thread?${query}`)).body;

    // Without a direction the replies are in the order of the table.
    const collapsed = await thread(root, "collapsedThreads=true");
    expect(collapsed.order[0]).toBe(root);
    expect([...collapsed.order].sort()).toEqual([root, ...replies].sort());
    expect((await thread(root, "collapsedThreads=true&direction=down")).order).toEqual([root, ...replies]);
    expect(collapsed.posts[root ?? ""].reply_count).toBe(2);
    expect(collapsed.posts[replies[0] ?? ""].reply_count).toBe(0);
    expect((await thread(replies[0], "collapsedThreads=true")).order).toEqual([replies[0]]);
    expect((await thread(root, "collapsedThreads=true&direction=up")).order).toEqual([
      root,
      ...[...replies].reverse(),
    ]);
    expect((await thread(root, "skipFetchThreads=true")).order).toEqual([root]);

    const up = await thread(root, "perPage=1&direction=up");
    expect([up.order, up.has_next]).toEqual([[root, replies[1]], true]);
    const down = await thread(replies[0], "perPage=1&direction=down");
    expect([[...new Set(down.order)], down.has_next]).toEqual([[replies[0], root], true]);
  });

  it("a thread is its root and its replies", async () => {
    const { alice, bob, channel, ids } = await filled(2);
    const replies = [];
    for (const text of ["one", "two"])
      replies.push(await world.post(alice, channel.id, text, { root_id: ids[0] }));
    for (const asked of [ids[0], replies[1].id]) {
      const { status, body } = await world.call(bob, "GET", `/posts/${asked}/thread`);
      expect(status).toBe(200);
      expect([...new Set(body.order)].sort()).toEqual([ids[0], ...replies.map(({ id }) => id)].sort());
      expect(body.posts[ids[0] ?? ""].reply_count).toBe(2);
    }
    expect((await world.call(bob, "GET", `/posts/${"a".repeat(26)}/thread`)).status).toBe(404);
  });

  it("new servers show a public channel to team members, and a private one only to its members", async () => {
    const { channel } = await filled(1);
    const carol = await world.person();
    expect((await world.call(carol, "GET", `/channels/${channel.id}/posts`)).status).toBe(
      world.answers.readsAsGuest ? 200 : 403,
    );
    const dave = await world.person();
    const secret = await world.channel([dave], "P");
    expect((await world.call(carol, "GET", `/channels/${secret.id}/posts`)).status).toBe(403);
    const unknown = await world.call(carol, "GET", `/channels/${"a".repeat(26)}/posts`);
    expect([unknown.status, unknown.body.id]).toEqual(world.answers.postsOfNoChannel);
  });

  it("new servers return deleted posts to admins on request", async () => {
    const { alice, ids } = await filled(1);
    await alice.client.deletePost(ids[0] ?? "");
    const read = (person: Person) => world.call(person, "GET", `/posts/${ids[0]}?include_deleted=true`);
    expect((await read(world.admin)).status).toBe(world.answers.deletedPost.admin);
    expect((await read(alice)).status).toBe(world.answers.deletedPost.author);
  });
});
