import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Account, startTestMattermost, type TestMattermost } from "../../harness/start-mattermost.ts";

describe("conversations of the sandbox's Mattermost", () => {
  let server: TestMattermost;
  let alice: Account;
  let bob: Account;
  beforeEach(async () => {
    server = await startTestMattermost();
    alice = await server.account("alice");
    bob = await server.account("bob");
  });
  afterEach(() => server.close());

  const say = async (person: Account, channel_id: string, message: string, root_id = "") =>
    (await person.api("POST", "/posts", { channel_id, message, root_id })).body;
  const threadsOf = async (person: Account, query = "") =>
    (await person.api("GET", `/users/me/teams/${server.teamId}/threads${query}`)).body;

  it("can be paged without losing or repeating posts, even those of the same millisecond", async () => {
    const channel = await server.channel("quick", [alice, bob]);
    const ids = await Promise.all(
      Array.from(
        { length: 30 },
        async (_, index) => (await say(index % 2 ? alice : bob, channel.id, `${index}`)).id,
      ),
    );
    const seen: string[] = [];
    let before = "";
    do {
      const { body } = await alice.api(
        "GET",
        `/channels/${channel.id}/posts?per_page=7${before && `&before=${before}`}`,
      );
      seen.push(...body.order.filter((id: string) => ids.includes(id)));
      before = body.prev_post_id === "" ? "" : body.order.at(-1);
    } while (before);
    expect([...seen].sort()).toEqual([...ids].sort());
  });

  it("count a thread's unread replies and mentions until it is read, and again from a reply marked as unread", async () => {
    const channel = await server.channel("threads", [alice, bob]);
    const root = await say(alice, channel.id, "who comes?");
    const replies = [];
    for (const text of ["me", "me too @alice", "and me"])
      replies.push(await say(bob, channel.id, text, root.id));
    expect((await threadsOf(alice)).threads[0]).toMatchObject({ unread_replies: 3, unread_mentions: 1 });
    expect((await threadsOf(bob)).threads[0]).toMatchObject({ unread_replies: 0 });

    const base = `/users/me/teams/${server.teamId}/threads`;
    expect((await alice.api("PUT", `${base}/read`)).status).toBe(200);
    expect((await threadsOf(alice, "?unread=true")).threads).toEqual([]);
    const { body } = await alice.api("POST", `${base}/${root.id}/set_unread/${replies[1].id}`);
    expect(body).toMatchObject({ id: root.id, unread_replies: 2 });
    expect((await alice.api("POST", `${base}/${root.id}/set_unread/${alice.id}`)).status).toBe(404);
    await alice.api("DELETE", `${base}/${root.id}/following`);
    expect((await threadsOf(alice)).total).toBe(0);
  });

  it("remain unfollowed when others reply, until a mention", async () => {
    const channel = await server.channel("unfollow", [alice, bob]);
    const root = await say(alice, channel.id, "root");
    await say(bob, channel.id, "one", root.id);
    await alice.api("DELETE", `/users/me/teams/${server.teamId}/threads/${root.id}/following`);
    await say(bob, channel.id, "two", root.id);
    const isFollowed = async () =>
      (await threadsOf(alice)).threads.some(({ id }: { id: string }) => id === root.id);
    expect(await isFollowed()).toBe(false);
    await say(bob, channel.id, "three @alice", root.id);
    expect(await isFollowed()).toBe(true);
  });

  it("recognize a name at the end of a sentence and, if enabled, a first name, but no mention in code", async () => {
    const channel = await server.channel("mentions", [alice, bob]);
    await bob.api("PUT", "/users/me/patch", {
      first_name: "Robert",
      notify_props: { first_name: "true", mention_keys: "b.o.b,tea time" },
    });
    const count = async () =>
      (await bob.api("GET", `/users/me/channels/${channel.id}/unread`)).body.mention_count;
    await bob.api("POST", "/channels/members/me/view", { channel_id: channel.id });
    for (const [message, expected] of [
      ["ask @bob.", 1],
      ["Robert knows", 2],
      ["robert does not", 2],
      ["`@bob` and\n```\n@bob\n```", 2],
      ["it is Tea Time now", 3],
      ["bob@example.com and @bobby", 3],
      ["xb.o.b", 3],
      [`@bob${"-".repeat(60)}.`, 4],
      [`@alice${"-".repeat(16_000)}`, 4],
    ] as const) {
      await say(alice, channel.id, message);
      expect([message, await count()]).toEqual([message, expected]);
    }
  });

  it("are found by their new words after an edit, and no longer found after deletion", async () => {
    const channel = await server.channel("search", [alice, bob]);
    const post = await say(alice, channel.id, "a zebra was here");
    const find = async (terms: string, page = 0) =>
      (await alice.api("POST", `/teams/${server.teamId}/posts/search`, { terms, page })).body.order;
    expect(await find("zebras")).toEqual([post.id]);
    expect(await find("zebra", 1)).toEqual([]);
    await alice.api("PUT", `/posts/${post.id}/patch`, { message: "an okapi was here" });
    expect([await find("zebra"), await find("okapi")]).toEqual([[], [post.id]]);
    for (const odd of ['"', "***", "AND OR NOT", "( ) : ^ {", "col:umn"]) expect(await find(odd)).toEqual([]);
    await alice.api("DELETE", `/posts/${post.id}`);
    expect(await find("okapi")).toEqual([]);
    expect(await find("word ".repeat(5000))).toEqual([]);
    const channels = await alice.api("POST", `/teams/${server.teamId}/channels/search`, {
      term: "w ".repeat(5000),
    });
    expect(channels.body).toEqual([]);
    expect(server.faults).toEqual([]);
  });

  it("accept up to 50 kinds of emoji on a post, and beyond that only repeats", async () => {
    const channel = await server.channel("emoji", [alice, bob]);
    const post = await say(alice, channel.id, "react!");
    const react = (person: Account, emoji_name: string) =>
      person.api("POST", "/reactions", { user_id: person.id, post_id: post.id, emoji_name });
    const { default: shortcodes } = await import("emojibase-data/en/shortcodes/iamcal.json", {
      with: { type: "json" },
    });
    const names = Object.values(shortcodes as Record<string, string | string[]>)
      .flat()
      .slice(0, 51);
    for (const name of names.slice(0, 50)) expect((await react(alice, name)).status).toBe(200);
    const refused = await react(bob, names[50] ?? "");
    expect([refused.status, refused.body.id]).toEqual([400, "app.reaction.save.save.too_many_reactions"]);
    expect((await react(bob, names[0] ?? "")).status).toBe(200);
    expect((await react(bob, "+1_medium_skin_tone")).body.id).toBe(
      "app.reaction.save.save.too_many_reactions",
    );
    expect((await react(bob, "nosuch_emoji")).body.id).toBe("app.emoji.get_by_name.no_result");
  });

  it("can be themed only by objects of strings, and nothing of a refused list is stored", async () => {
    const put = (...values: { category: string; name: string; value: string }[]) =>
      alice.api(
        "PUT",
        "/users/me/preferences",
        values.map((value) => ({ user_id: alice.id, ...value })),
      );
    const good = { category: "display_settings", name: "name_format", value: "username" };
    const refused = await put(good, { category: "theme", name: "", value: "[1]" });
    expect([refused.status, refused.body.id]).toEqual([400, "model.preference.is_valid.theme.app_error"]);
    const { body: stored } = await alice.api("GET", "/users/me/preferences");
    expect(stored).not.toContainEqual(expect.objectContaining({ category: "display_settings" }));
    expect((await put(good, { category: "theme", name: "", value: '{"a":"#fff"}' })).status).toBe(200);
  });

  it("return the members with the requested ids", async () => {
    const channel = await server.channel("ids", [alice, bob]);
    const { body } = await alice.api("POST", `/channels/${channel.id}/members/ids`, [bob.id, "a".repeat(26)]);
    expect(body).toHaveLength(1);
    expect(body[0]).toMatchObject({ user_id: bob.id, last_viewed_at: -1, last_update_at: -1 });
  });
});
