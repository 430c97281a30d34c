import { afterEach, describe, expect, it } from "vitest";
import { openChatWorld } from "../../harness/open-chat-world.ts";
import type { AnyBody, Person } from "../../harness/start-chat-world.ts";

const { world } = await openChatWorld();
const alice = await world.login("alice", "hive-100001");
const bob = await world.login("bob", "hive-100001");

describe("GET /channels/{channel_id}/posts", () => {
  const page = async (id: string, query = "", who: Person = alice): Promise<AnyBody> => {
    const { status, body } = await who.api("GET", `/channels/${id}/posts${query}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  };
  const texts = (body: AnyBody) =>
    body.posts.filter((post: AnyBody) => post.type === "").map((post: AnyBody) => post.message);

  async function filled(count: number, members: Person[] = [alice, bob]) {
    const id = await world.makeChannel(members);
    const posts: AnyBody[] = [];
    for (let n = 0; n < count; n += 1)
      posts.push(await (members[n % members.length] ?? alice).post(id, `m${n}`));
    return { id, posts };
  }

  it("returns posts oldest first, with a user map, member info and moderation context", async () => {
    const { id } = await filled(3);
    const body = await page(id);
    expect(Object.keys(body).sort()).toEqual(
      ["posts", "users", "channel", "member", "community", "canModerate", "hasMore", "memberCount"].sort(),
    );
    expect(texts(body)).toEqual(["m0", "m1", "m2"]);
    expect(body.users[alice.id]).toMatchObject({ id: alice.id, username: "alice" });
    expect(body.users[bob.id]).toMatchObject({ id: bob.id, username: "bob" });
    expect(body.channel).toMatchObject({ id, type: "O" });
    expect(body.member).toMatchObject({ channel_id: id, user_id: alice.id });
    expect(body).toMatchObject({ community: null, canModerate: false, hasMore: false });
    const { member_count } = await world.admin<AnyBody>("GET", `/channels/${id}/stats`);
    expect(body.memberCount).toBe(member_count);
  });

  it("returns users without private fields", async () => {
    const { id, posts } = await filled(2);
    await world.admin("PUT", `/users/${bob.id}/patch`, { props: { private_note: "hidden treasure" } });
    await bob.post(id, "reply", posts[0].id);
    for (const query of ["", `?thread=${posts[0].id}`, `?around=${posts[0].id}`]) {
      const body = await page(id, query);
      expect(Object.keys(body.users[bob.id]).sort()).toEqual(
        ["id", "username", "first_name", "last_name", "nickname", "last_picture_update"].sort(),
      );
      expect(JSON.stringify(body)).not.toMatch(/hidden treasure|users\.hivegate\.invalid|system_user/);
    }
  });

  it("includes a direct channel's partner, even one who never wrote, and whether they are deactivated", async () => {
    const goner = await world.newcomer();
    const id = (await alice.api("POST", "/direct", { username: goner.name })).body.channelId;
    const before = (await page(id)).channel.directUser;
    expect(before).toMatchObject({ id: goner.id, username: goner.name });
    expect(before).not.toHaveProperty("is_deactivated");
    await world.admin("PUT", `/users/${goner.id}/active`, { active: false });
    const { channel, users } = await page(id);
    expect(channel.directUser).toEqual({ ...users[goner.id], is_deactivated: true });
    expect((await page(alice.channelId)).channel).not.toHaveProperty("directUser");
  });

  it("returns the community, and whether the caller may moderate it", async () => {
    expect(await page(alice.channelId)).toMatchObject({ community: "hive-100001", canModerate: true });
    expect(await page(bob.channelId, "", bob)).toMatchObject({
      community: "hive-100001",
      canModerate: false,
    });
    const carol = await world.login("carol", "hive-100001");
    expect(await page(carol.channelId, "", carol)).toMatchObject({ canModerate: true });
  });

  describe("read again", () => {
    it("returns the same page to each member, with the reader's own membership", async () => {
      const { id } = await filled(3);
      const first = await page(id);
      expect(await page(id)).toEqual(first);
      const { member, ...shared } = await page(id, "", bob);
      expect(member).toMatchObject({ channel_id: id, user_id: bob.id });
      expect(shared).toMatchObject({ posts: first.posts, channel: first.channel });
    });

    it("returns what has changed since: an edit, a reaction, a deletion, a new post", async () => {
      const { id, posts } = await filled(3);
      await page(id);
      await alice.api("PATCH", `/channels/${id}/posts/${posts[0].id}`, { message: "edited" });
      expect(texts(await page(id))).toEqual(["edited", "m1", "m2"]);
      await bob.api("POST", `/channels/${id}/posts/${posts[1].id}/reactions`, { emoji: "heart", add: true });
      const reacted = (await page(id)).posts.find((post: AnyBody) => post.id === posts[1].id);
      expect(reacted.metadata.reactions).toMatchObject([{ user_id: bob.id }]);
      await alice.api("DELETE", `/channels/${id}/posts/${posts[2].id}`);
      expect(texts(await page(id))).toEqual(["edited", "m1"]);
      await bob.post(id, "m3");
      expect(texts(await page(id))).toEqual(["edited", "m1", "m3"]);
    });

    it("returns 403 to a person outside of a direct channel that its two members have read", async () => {
      const id = (await alice.api("POST", "/direct", { username: bob.name })).body.channelId;
      await alice.post(id, "between us");
      for (const who of [alice, bob, alice]) expect(texts(await page(id, "", who))).toContain("between us");
      const stranger = await world.login("carol", "hive-100001");
      const { status, body } = await stranger.api("GET", `/channels/${id}/posts`);
      expect(status).toBe(403);
      expect(JSON.stringify(body)).not.toContain("between us");
    });
  });

  describe("paging", () => {
    it("reports no further page when the posts exactly fill the last page", async () => {
      const { id } = await filled(4);
      const all = await page(id);
      const size = all.posts.length;
      const exact = await page(id, `?per_page=${size}`);
      expect([exact.posts.length, exact.hasMore]).toEqual([size, false]);
      const short = await page(id, `?per_page=${size - 1}`);
      expect([short.posts.length, short.hasMore]).toEqual([size - 1, true]);
    });

    it("pages back with `before` and forward with `after`, without gaps or repeats", async () => {
      const { id } = await filled(9);
      const whole = texts(await page(id));
      const back: string[] = [];
      let body = await page(id, "?per_page=4");
      back.unshift(...texts(body));
      while (body.hasMore) {
        body = await page(id, `?per_page=4&before=${body.posts[0].id}`);
        back.unshift(...texts(body));
      }
      expect(back).toEqual(whole);
      const forth = texts(body);
      do {
        body = await page(id, `?per_page=4&after=${body.posts.at(-1).id}`);
        forth.push(...texts(body));
      } while (body.hasMore);
      expect(forth).toEqual(whole);
    });

    it("shows the posts around a post", async () => {
      const { id, posts } = await filled(9);
      const body = await page(id, `?around=${posts[4].id}&per_page=4`);
      expect(texts(body)).toEqual(["m2", "m3", "m4", "m5", "m6"]);
      expect(body.hasMore).toBe(true);
    });

    it("shows a whole thread, with the root and each reply once", async () => {
      const { id, posts } = await filled(2);
      await bob.post(id, "r1", posts[0].id);
      await alice.post(id, "r2", posts[0].id);
      const body = await page(id, `?thread=${posts[0].id}`);
      expect(texts(body)).toEqual(["m0", "r1", "r2"]);
      expect(body.hasMore).toBe(false);
    });

    it("counts a root's replies on every kind of page", async () => {
      const { id, posts } = await filled(3);
      for (const text of ["r1", "r2"]) await bob.post(id, text, posts[1].id);
      const queries = ["", `?before=${posts[2].id}`, `?after=${posts[0].id}`, `?around=${posts[1].id}`];
      for (const query of [...queries, `?around=${posts[0].id}`, `?thread=${posts[1].id}`]) {
        const root = (await page(id, query)).posts.find((post: AnyBody) => post.id === posts[1].id);
        expect([query, root?.reply_count]).toEqual([query, 2]);
      }
    });

    it("shows a reply without its root if the root is on an earlier page", async () => {
      const { id, posts } = await filled(6);
      await bob.post(id, "late reply", posts[0].id);
      expect(texts(await page(id, "?per_page=3"))).toEqual(["m4", "m5", "late reply"]);
    });

    it("omits deleted posts", async () => {
      const { id, posts } = await filled(3);
      const author = posts[1].user_id === alice.id ? alice : bob;
      await author.api("DELETE", `/channels/${id}/posts/${posts[1].id}`);
      expect(texts(await page(id))).toEqual(["m0", "m2"]);
    });
  });

  it("returns 404 for another channel's post in any parameter", async () => {
    const [here, there] = [await filled(2), await filled(2)];
    const reply = await alice.post(here.id, "reply", here.posts[0].id);
    for (const name of ["before", "after", "around", "thread"]) {
      for (const post of [there.posts[0].id, "z".repeat(26)]) {
        const { status, body } = await alice.api("GET", `/channels/${here.id}/posts?${name}=${post}`);
        expect([name, status, body.code]).toEqual([name, 404, "not_found"]);
      }
    }
    expect((await alice.api("GET", `/channels/${here.id}/posts?thread=${reply.id}`)).status).toBe(404);
  });

  it("returns 404 for an invisible post, as for an unknown one", async () => {
    const secret = await world.makeChannel([alice], { type: "P" });
    const post = await alice.post(secret, "secret");
    const { id } = await filled(1);
    for (const name of ["before", "after", "around", "thread"])
      expect((await bob.api("GET", `/channels/${id}/posts?${name}=${post.id}`)).status).toBe(404);
  });

  it("returns 403 for a private channel of others and 404 for an unknown one", async () => {
    const secret = await world.makeChannel([alice], { type: "P" });
    expect((await bob.api("GET", `/channels/${secret}/posts`)).status).toBe(403);
    expect((await bob.api("GET", `/channels/${"z".repeat(26)}/posts`)).status).toBe(404);
  });

  it("returns the member count even to non-members", async () => {
    const id = await world.makeChannel([alice]);
    const direct = await bob.mattermost("GET", `/channels/${id}/posts`);
    const { status, body } = await bob.api("GET", `/channels/${id}/posts`);
    // Older versions of Mattermost show the messages of a public channel only to its members.
    if (direct.status === 403) return expect([status, body.code]).toEqual([403, "forbidden"]);
    const { member, memberCount } = body;
    expect([status, member]).toEqual([200, null]);
    expect(memberCount).toBe((await world.admin<AnyBody>("GET", `/channels/${id}/stats`)).member_count);
  });

  it("leaves memberships unchanged", async () => {
    const { id, posts } = await filled(1, [alice]);
    await bob.api("GET", `/channels/${id}/posts?around=${posts[0].id}`);
    const members = await world.admin<AnyBody[]>("GET", `/channels/${id}/members`);
    expect(members.map(({ user_id }) => user_id)).not.toContain(bob.id);
  });

  it.each([
    "per_page=0",
    "per_page=201",
    "per_page=x",
    "per_page=",
    "per_page=1.5",
    "before=short",
    "around=",
    `before=${"a".repeat(26)}&after=${"b".repeat(26)}`,
    `thread=${"a".repeat(26)}&around=${"b".repeat(26)}`,
  ])("returns 400 for ?%s", async (query) => {
    const { status, body } = await alice.api("GET", `/channels/${alice.channelId}/posts?${query}`);
    expect([status, body.code]).toEqual([400, "invalid_request"]);
  });

  describe("Mattermost calls", () => {
    afterEach(() => world.proxy.treat(() => "pass"));

    /** Plays a channel with enough members to fill a list, with or without `own` among them. */
    const playLarge = (id: string, own: readonly string[]) =>
      world.proxy.treat(({ method, path }) => {
        if (method !== "GET" || path !== `/channels/${id}/members`) return "pass";
        const crowd = Array.from({ length: 200 - own.length }, (_, n) => `m${n}`.padEnd(26, "0"));
        const members = [...own, ...crowd].map((user_id) => ({ channel_id: id, user_id }));
        return { status: 200, text: JSON.stringify(members) };
      });
    const callsOf = async (id: string, who = alice, query = "") => {
      world.proxy.forget();
      const body = await page(id, query, who);
      return { body, calls: world.proxy.calls().length };
    };

    it("are at most 4 in a channel of 200 members or more, except the first time", async () => {
      for (const own of [[], [alice.id]]) {
        const { id } = await filled(2);
        playLarge(id, own);
        const { member_count } = await world.admin<AnyBody>("GET", `/channels/${id}/stats`);
        const first = await callsOf(id);
        expect(first.calls).toBeLessThanOrEqual(6 - own.length);
        const second = await callsOf(id);
        expect(second.calls).toBeLessThanOrEqual(4);
        for (const { body } of [first, second])
          expect([body.member.user_id, body.memberCount]).toEqual([alice.id, member_count]);
      }
    });

    it("are at most 4 for a non-member, except the first time", async () => {
      const id = await world.makeChannel([alice]);
      await alice.post(id, "for all to see");
      // Older versions of Mattermost show the messages of a public channel only to its members.
      if ((await bob.mattermost("GET", `/channels/${id}/posts`)).status === 403) return;
      expect((await callsOf(id, bob)).calls).toBeLessThanOrEqual(5);
      const { body, calls } = await callsOf(id, bob);
      expect(calls).toBeLessThanOrEqual(4);
      expect(body.memberCount).toBeGreaterThan(0);
    });

    it("are at most 6 around a post, users last, and 4 for a thread", async () => {
      const { id, posts } = await filled(3);
      expect((await callsOf(id, alice, `?around=${posts[1].id}`)).calls).toBeLessThanOrEqual(6);
      expect(world.proxy.calls().at(-1)).toBe("POST /users/ids");
      expect((await callsOf(id, alice, `?thread=${posts[1].id}`)).calls).toBeLessThanOrEqual(4);
    });

    it("include one more if replies lie beyond the page, to find out who replied and when", async () => {
      const { id, posts } = await filled(5);
      const carol = await world.login("carol", "hive-100001");
      await world.admin("POST", `/channels/${id}/members`, { user_id: carol.id });
      await carol.post(id, "not the last", posts[1].id);
      await alice.post(id, "nor this", posts[1].id);
      const last = await bob.post(id, "the last word", posts[1].id);
      const told = {
        participants: ["carol", "alice", "bob"].map((username) => ({ username })),
        last_reply_at: last.create_at,
      };
      for (const [query, most] of [
        [`before=${posts[3].id}`, 5],
        [`after=${posts[0].id}&per_page=2`, 5],
        [`around=${posts[1].id}&per_page=2`, 7],
      ] as const) {
        const { body, calls } = await callsOf(id, alice, `?${query}`);
        expect([query, calls]).toEqual([query, most]);
        expect(body.posts.find((post: AnyBody) => post.id === posts[1].id)).toMatchObject(told);
        expect(body.users).toMatchObject({ [carol.id]: { username: "carol" } });
        expect(JSON.stringify(body)).not.toMatch(/users\.hivegate\.invalid|system_user/);
      }
      const { body, calls } = await callsOf(id);
      expect(calls).toBeLessThanOrEqual(4);
      const whole = body.posts.find((post: AnyBody) => post.id === posts[1].id);
      expect(whole).toMatchObject({ reply_count: 3, participants: null });
    });

    it("are at most 4 for a page, users last", async () => {
      const { id } = await filled(3);
      world.proxy.forget();
      const body = await page(id);
      expect(world.proxy.calls().length).toBeLessThanOrEqual(4);
      expect(world.proxy.calls().at(-1)).toBe("POST /users/ids");
      world.proxy.forget();
      await page(id, `?before=${body.posts.at(-1).id}`);
      expect(world.proxy.calls().length).toBeLessThanOrEqual(4);
    });
  });
});
