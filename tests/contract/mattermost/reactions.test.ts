import { expect, it } from "vitest";
import { describeMattermost, type Person } from "./support/world.ts";

const NOBODY = "a".repeat(26);

describeMattermost("reactions", (world) => {
  async function posted() {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const channel = await world.channel([alice, bob]);
    return { alice, bob, channel, post: await world.post(alice, channel.id, "react!") };
  }
  const reactionsOf = async (person: Person, postId: string) =>
    (await person.client.getPost(postId)).metadata.reactions ?? [];
  const react = (person: Person, body: Record<string, unknown>) =>
    world.call(person, "POST", "/reactions", { user_id: person.id, ...body });

  it("adding a reaction returns 200, and repeating it adds no second one", async () => {
    const { alice, bob, channel, post } = await posted();
    const { status, body } = await react(bob, { post_id: post.id, emoji_name: "heart" });
    expect(status).toBe(200);
    expect(body).toMatchObject({ user_id: bob.id, post_id: post.id, emoji_name: "heart", delete_at: 0 });
    expect(body.channel_id).toBe(world.answers.hasReactionChannel ? channel.id : undefined);
    expect((await react(bob, { post_id: post.id, emoji_name: "heart" })).status).toBe(200);
    await react(alice, { post_id: post.id, emoji_name: "heart" });
    const all = await reactionsOf(alice, post.id);
    expect(all.map(({ user_id }) => user_id).sort()).toEqual([alice.id, bob.id].sort());
  });

  it("removing a reaction succeeds even if it is missing, whether or not a plus in its name is escaped", async () => {
    const { bob, post } = await posted();
    for (const path of ["+1", "%2B1", "heart"]) {
      await react(bob, { post_id: post.id, emoji_name: path === "heart" ? "heart" : "+1" });
      const { status, body } = await world.call(
        bob,
        "DELETE",
        `/users/${bob.id}/posts/${post.id}/reactions/${path}`,
      );
      expect([path, status, body]).toEqual([path, 200, { status: "OK" }]);
      expect(await reactionsOf(bob, post.id)).toEqual([]);
    }
    expect(
      (await world.call(bob, "DELETE", `/users/${bob.id}/posts/${post.id}/reactions/heart`)).status,
    ).toBe(200);
  });

  it("other users' reactions, bad names, bad ids and non-members are refused", async () => {
    const { alice, bob, post } = await posted();
    const attempt = async (person: Person, body: Record<string, unknown>) => {
      const answer = await react(person, { post_id: post.id, emoji_name: "heart", ...body });
      return [answer.status, answer.body.id];
    };
    expect(await attempt(alice, { user_id: bob.id })).toEqual([
      403,
      "api.reaction.save_reaction.user_id.app_error",
    ]);
    for (const emoji_name of ["no spaces", ":heart:"])
      expect(await attempt(alice, { emoji_name })).toEqual(world.answers.badEmojiName);
    for (const emoji_name of ["", "x".repeat(65)])
      expect(await attempt(alice, { emoji_name })).toEqual([
        400,
        "api.reaction.save_reaction.invalid.app_error",
      ]);
    expect(await attempt(alice, { post_id: "short" })).toEqual([
      400,
      "api.reaction.save_reaction.invalid.app_error",
    ]);
    expect((await attempt(alice, { post_id: NOBODY }))[0]).toBeGreaterThanOrEqual(403);
    const stranger = await world.person();
    expect((await attempt(stranger, {}))[0]).toBe(403);
    await react(bob, { post_id: post.id, emoji_name: "heart" });
    expect(
      (await world.call(alice, "DELETE", `/users/${bob.id}/posts/${post.id}/reactions/heart`)).status,
    ).toBe(403);
    expect(
      (await world.call(world.admin, "DELETE", `/users/${bob.id}/posts/${post.id}/reactions/heart`)).status,
    ).toBe(200);
  });

  it("only old servers accept an unknown emoji", async () => {
    const { alice, post } = await posted();
    const { status, body } = await react(alice, { post_id: post.id, emoji_name: "nosuchemojiever" });
    expect([status, body.id]).toEqual(world.answers.unknownEmoji);
  });
});
