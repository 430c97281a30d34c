import { expect, it } from "vitest";
import { refusal } from "./support/call.ts";
import { describeMattermost, type Person } from "./support/world.ts";

const NOBODY = "a".repeat(26);
const FORBIDDEN = { status: 403, id: "api.context.permissions.app_error" };

describeMattermost("posts", (world) => {
  const pair = async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    return { alice, bob, channel: await world.channel([alice, bob]) };
  };
  const create = (person: Person, body: unknown) => world.call(person, "POST", "/posts", body);

  it("creating a post returns 201, and the caller is the author whatever the body says", async () => {
    const { alice, bob, channel } = await pair();
    const { status, body } = await create(alice, {
      channel_id: channel.id,
      message: "hello #one and #two",
      user_id: bob.id,
      props: { custom: "x" },
      pending_post_id: `${alice.id}:1`,
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      channel_id: channel.id,
      user_id: alice.id,
      message: "hello #one and #two",
      hashtags: "#one #two",
      type: "",
      root_id: "",
      original_id: "",
      is_pinned: false,
      edit_at: 0,
      delete_at: 0,
      reply_count: 0,
      pending_post_id: `${alice.id}:1`,
      props: { custom: "x" },
      metadata: {},
    });
    expect(body.create_at).toBe(body.update_at);
    expect("file_ids" in body).toBe(world.answers.hasPostFiles);
  });

  it("an empty message and one of 16383 code points are accepted, and a longer one is refused", async () => {
    const { alice, channel } = await pair();
    expect((await create(alice, { channel_id: channel.id, message: "" })).status).toBe(201);
    expect((await create(alice, { channel_id: channel.id, message: "𝄞".repeat(16_383) })).status).toBe(201);
    const { status, body } = await create(alice, { channel_id: channel.id, message: "x".repeat(16_384) });
    expect([status, body.id]).toEqual(world.answers.tooLongPost);
  });

  it("non-members, unknown channels, system types and bad roots are refused", async () => {
    const { alice, channel } = await pair();
    const other = await world.channel([alice]);
    const stranger = await world.person();
    const root = await world.post(alice, channel.id, "root");
    const reply = await world.post(alice, channel.id, "reply", { root_id: root.id });
    const attempt = async (person: Person, body: Record<string, unknown>) => {
      const answer = await create(person, { message: "x", ...body });
      return [answer.status, answer.body.id];
    };
    expect(await attempt(stranger, { channel_id: channel.id })).toEqual([403, FORBIDDEN.id]);
    expect((await attempt(alice, { channel_id: NOBODY }))[0]).toBe(403);
    expect(await attempt(alice, { channel_id: channel.id, type: "system_join_channel" })).toEqual([
      400,
      "api.context.invalid_param.app_error",
    ]);
    expect((await attempt(alice, { channel_id: channel.id, type: "custom_thing" }))[0]).toBe(201);
    expect(await attempt(alice, { channel_id: channel.id, type: "thing" })).toEqual([
      400,
      "model.post.is_valid.type.app_error",
    ]);
    for (const root_id of [reply.id, NOBODY]) {
      expect(await attempt(alice, { channel_id: channel.id, root_id })).toEqual([
        400,
        "api.post.create_post.root_id.app_error",
      ]);
    }
    expect(await attempt(alice, { channel_id: other.id, root_id: root.id })).toEqual([
      400,
      "api.post.create_post.channel_root_id.app_error",
    ]);
    expect((await create(alice, "nonsense")).status).toBe(400);
  });

  it("a client posts a /me message, once per pending id", async () => {
    const { alice, channel } = await pair();
    const body = {
      channel_id: channel.id,
      message: "*waves*",
      type: "me",
      pending_post_id: `${alice.id}:${Date.now()}`,
    };
    const [first, again] = [await create(alice, body), await create(alice, body)];
    expect(first.body).toMatchObject({ type: "me", message: "*waves*" });
    expect(again.body.id).toBe(first.body.id);
  });

  it("a message has the titles of the public channels that it mentions, and some servers drop them on an edit", async () => {
    const { alice, channel } = await pair();
    const [open, secret] = [await world.channel([alice], "O"), await world.channel([alice], "P")];
    const { body } = await create(alice, {
      channel_id: channel.id,
      message: `See ~${open.name}, ~${secret.name} and ~no-such-channel`,
      props: { channel_mentions: { "no-such-channel": { display_name: "made up" } } },
    });
    const title = { display_name: expect.stringMatching(/./), team_name: expect.any(String) };
    expect(body.props.channel_mentions).toEqual({
      [open.name]: title,
      ...(world.answers.namesPrivateChannels && { [secret.name]: title }),
    });
    const edited = await world.call(alice, "PUT", `/posts/${body.id}/patch`, { message: "See nothing" });
    const isTold = Object.hasOwn(edited.body.props, "channel_mentions");
    expect(isTold).toBe(!world.answers.editsNamedChannels);
  });

  it("only admins choose a post's time", async () => {
    const { alice, channel } = await pair();
    const at = Date.now() - 86_400_000;
    const { body } = await create(alice, { channel_id: channel.id, message: "old?", create_at: at });
    expect(body.create_at).toBeGreaterThan(at);
    await world.admin.client.addToChannel(world.admin.id, channel.id);
    const byAdmin = await create(world.admin, { channel_id: channel.id, message: "old!", create_at: at });
    expect(byAdmin.body.create_at).toBe(at);
  });

  it("a repeated pending id returns the first post", async () => {
    const { alice, channel } = await pair();
    const pending_post_id = `${alice.id}:${Date.now()}`;
    const first = await create(alice, { channel_id: channel.id, message: "once", pending_post_id });
    const second = await create(alice, { channel_id: channel.id, message: "twice", pending_post_id });
    expect([second.status, second.body.id, second.body.message]).toEqual([201, first.body.id, "once"]);
    const list = await alice.client.getPosts(channel.id);
    const own = Object.values(list.posts).filter(
      ({ user_id, type }) => user_id === alice.id && type === ("" as string),
    );
    expect(own).toHaveLength(1);
  });

  it("the pending id appears only in the answer to the creation", async () => {
    const { alice, channel } = await pair();
    const pending_post_id = `${alice.id}:${Date.now()}`;
    const { body } = await create(alice, { channel_id: channel.id, message: "first", pending_post_id });
    expect(body.pending_post_id).toBe(pending_post_id);
    const edited = await world.call(alice, "PUT", `/posts/${body.id}/patch`, { message: "second" });
    expect(edited.body).toMatchObject({ message: "second", pending_post_id: "" });
    expect((await alice.client.getPost(body.id)).pending_post_id).toBe("");
    const list = await alice.client.getPosts(channel.id);
    expect(list.posts[body.id]?.pending_post_id).toBe("");
  });

  it("posts are read by id, except for those that the user can't see", async () => {
    const { alice, bob, channel } = await pair();
    const secret = await world.channel([alice], "P");
    const open = await world.post(alice, channel.id, "open");
    const hidden = await world.post(alice, secret.id, "hidden");
    expect((await bob.client.getPost(open.id)).message).toBe("open");
    expect(await refusal(bob.client.getPost(hidden.id))).toMatchObject({ status: 403 });
    expect(await refusal(bob.client.getPost(NOBODY))).toEqual({ status: 404, id: "app.post.get.app_error" });
  });

  it("editing or deleting an unknown or deleted post is refused, even for its author and admins", async () => {
    const { alice, channel } = await pair();
    const post = await world.post(alice, channel.id, "gone");
    await alice.client.deletePost(post.id);
    for (const { client } of [alice, world.admin]) {
      for (const id of [post.id, NOBODY]) {
        expect(await refusal(client.patchPost({ id, message: "back" } as never))).toEqual(FORBIDDEN);
        const { status, id: error } = await refusal(client.deletePost(id));
        expect([status, error]).toEqual(world.answers.deletionOfNoPost);
      }
    }
  });

  it("only the author and admins edit posts", async () => {
    const { alice, bob, channel } = await pair();
    const post = await world.post(alice, channel.id, "old");
    const { status, body } = await world.call(alice, "PUT", `/posts/${post.id}/patch`, {
      message: "new #tag",
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: post.id,
      message: "new #tag",
      hashtags: "#tag",
      create_at: post.create_at,
    });
    expect(body.edit_at).toBeGreaterThan(0);
    expect(body.update_at).toBeGreaterThan(post.update_at);
    expect(await refusal(bob.client.patchPost({ id: post.id, message: "mine" } as never))).toEqual(FORBIDDEN);
    const byAdmin = await world.admin.client.patchPost({ id: post.id, message: "by admin" } as never);
    expect(byAdmin).toMatchObject({ message: "by admin", user_id: alice.id });
    expect(
      (await world.call(alice, "PUT", `/posts/${NOBODY}/patch`, { message: "x" })).status,
    ).toBeGreaterThanOrEqual(403);
    const long = await world.call(alice, "PUT", `/posts/${post.id}/patch`, { message: "x".repeat(16_384) });
    expect(long.status).toBe(400);
  });

  it("props are replaced as a whole, and edit_at changes only if the message does", async () => {
    const { alice, channel } = await pair();
    const post = await world.post(alice, channel.id, "same", { props: { a: "1" } });
    const { body } = await world.call(alice, "PUT", `/posts/${post.id}/patch`, { props: { b: "2" } });
    expect(body.props).toEqual({ b: "2" });
    expect([body.message, body.edit_at]).toEqual(["same", 0]);
  });

  it("the author, team admins and admins delete posts, and replies are deleted with their root", async () => {
    const { alice, bob, channel } = await pair();
    const root = await world.post(alice, channel.id, "root");
    const reply = await world.post(bob, channel.id, "reply", { root_id: root.id });
    expect(await refusal(bob.client.deletePost(root.id))).toEqual(FORBIDDEN);
    expect(await alice.client.deletePost(root.id)).toEqual({ status: "OK" });
    for (const { id } of [root, reply]) {
      expect(await refusal(alice.client.getPost(id))).toEqual({ status: 404, id: "app.post.get.app_error" });
    }
    expect((await refusal(alice.client.deletePost(root.id))).status).toBeGreaterThanOrEqual(400);
    const other = await world.post(alice, channel.id, "by the team's admin");
    await world.admin.client.updateTeamMemberSchemeRoles(world.team.id, bob.id, true, true);
    expect(await bob.client.deletePost(other.id)).toEqual({ status: "OK" });
    const third = await world.post(alice, channel.id, "by the admin");
    expect(await world.admin.client.deletePost(third.id)).toEqual({ status: "OK" });
  });

  it("a post is pinned and unpinned", async () => {
    const { alice, bob, channel } = await pair();
    const post = await world.post(alice, channel.id, "pin");
    expect(await bob.client.pinPost(post.id)).toEqual({ status: "OK" });
    expect((await alice.client.getPost(post.id)).is_pinned).toBe(true);
    expect((await alice.client.getPinnedPosts(channel.id)).order).toEqual([post.id]);
    expect(await bob.client.unpinPost(post.id)).toEqual({ status: "OK" });
    expect((await alice.client.getPinnedPosts(channel.id)).order).toEqual([]);
    const stranger = await world.person({ isOutsideTeam: true });
    expect((await world.call(stranger, "POST", `/posts/${post.id}/pin`)).status).toBe(403);
  });

  it("a post's metadata contains its reactions", async () => {
    const { alice, bob, channel } = await pair();
    const post = await world.post(alice, channel.id, "like me");
    await bob.client.addReaction(bob.id, post.id, "smile");
    const read = await alice.client.getPost(post.id);
    expect(read).toMatchObject({ has_reactions: true });
    expect(read.metadata.reactions).toHaveLength(1);
    expect(read.metadata.reactions?.[0]).toMatchObject({ user_id: bob.id, emoji_name: "smile" });
    expect(read.update_at).toBeGreaterThanOrEqual(post.update_at);
  });
});
