import { expect, it } from "vitest";
import { describeMattermost, type Person } from "./support/world.ts";

describeMattermost("threads", (world) => {
  async function threaded() {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const channel = await world.channel([alice, bob]);
    const root = await world.post(alice, channel.id, "root");
    const reply = await world.post(bob, channel.id, "reply", { root_id: root.id });
    const base = (person: Person) => `/users/${person.id}/teams/${world.team.id}/threads`;
    const list = async (person: Person, query = "") =>
      (await world.call(person, "GET", `${base(person)}?${query}`)).body;
    return { alice, bob, channel, root, reply, base, list };
  }

  it("a reply is counted on its root", async () => {
    const { alice, root, reply } = await threaded();
    const after = await alice.client.getPost(root.id);
    expect(after.reply_count).toBe(1);
    expect(after.update_at).toBeGreaterThanOrEqual(root.update_at);
    expect((await alice.client.getPost(reply.id)).root_id).toBe(root.id);
  });

  it("an author follows their thread, and others' replies in it are unread", async () => {
    const { alice, root, reply, list } = await threaded();
    const { threads, total, total_unread_threads } = await list(alice, "extended=true");
    expect([total, total_unread_threads]).toEqual([1, 1]);
    expect(threads[0]).toMatchObject({
      id: root.id,
      reply_count: 1,
      last_reply_at: reply.create_at,
      unread_replies: 1,
      unread_mentions: 0,
      post: { id: root.id, message: "root" },
    });
    expect("is_urgent" in threads[0]).toBe(world.answers.hasUrgentThreads);
    expect(threads[0].participants.length).toBeGreaterThan(0);
    expect(await list(alice, "totalsOnly=true")).toMatchObject({ total: 1, total_unread_threads: 1 });
  });

  it("a thread is marked read, marked unread from a reply on, and marked read with all other threads", async () => {
    const { alice, root, reply, base, list } = await threaded();
    const read = await world.call(alice, "PUT", `${base(alice)}/${root.id}/read/${Date.now() + 1_000}`);
    expect([read.status, read.body.unread_replies]).toEqual([200, 0]);
    expect((await list(alice, "unread=true")).threads ?? []).toEqual([]);
    const again = await world.call(alice, "POST", `${base(alice)}/${root.id}/set_unread/${reply.id}`);
    expect(again.status).toBe(200);
    expect((await list(alice)).threads[0].unread_replies).toBe(1);
    expect(await alice.client.updateThreadsReadForUser(alice.id, world.team.id)).toEqual({ status: "OK" });
    expect((await list(alice)).total_unread_threads).toBe(0);
  });

  it("unfollowing removes a thread from the list, and following restores it", async () => {
    const { alice, root, list } = await threaded();
    expect(await alice.client.updateThreadFollowForUser(alice.id, world.team.id, root.id, false)).toEqual({
      status: "OK",
    });
    expect((await list(alice)).total).toBe(0);
    expect(await alice.client.updateThreadFollowForUser(alice.id, world.team.id, root.id, true)).toEqual({
      status: "OK",
    });
    expect((await list(alice)).total).toBe(1);
  });

  it("following a followed thread marks it read, and marking a thread unread follows it", async () => {
    const { alice, root, reply, base, list } = await threaded();
    expect((await list(alice)).total_unread_threads).toBe(1);
    await alice.client.updateThreadFollowForUser(alice.id, world.team.id, root.id, true);
    expect((await list(alice)).total_unread_threads).toBe(0);
    const ear = await world.listen(alice);
    await world.call(alice, "POST", `${base(alice)}/${root.id}/set_unread/${reply.id}`);
    const followed = world.answers.tellsFollowOnUnread ? await ear.event("thread_follow_changed") : null;
    if (followed) expect(followed.data).toEqual({ thread_id: root.id, state: true, reply_count: 1 });
    const read = await ear.event("thread_read_changed");
    expect(read.data).toMatchObject({
      thread_id: root.id,
      timestamp: reply.create_at - 1,
      previous_unread_replies: 0,
      unread_replies: 1,
    });
    if (followed) expect(read.seq).toBeGreaterThan(followed.seq ?? Number.POSITIVE_INFINITY);
  });

  it("marking a post without replies or an unknown thread as read fails", async () => {
    const { alice, channel, base } = await threaded();
    const unanswered = await world.post(alice, channel.id, "nobody answered");
    for (const [id, answer] of [
      [unanswered.id, world.answers.readOfNoReplies],
      ["z".repeat(26), world.answers.readOfNoThread],
    ] as const) {
      const { status, body } = await world.call(alice, "PUT", `${base(alice)}/${id}/read/1`);
      expect([status, body.id]).toEqual(answer);
    }
  });

  it("a user's threads are visible only to that user, and non-members have none", async () => {
    const { alice, bob, base, list } = await threaded();
    expect((await world.call(bob, "GET", base(alice))).status).toBe(403);
    const stranger = await world.person();
    expect((await list(stranger)).total).toBe(0);
  });
});
