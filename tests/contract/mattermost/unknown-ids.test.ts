import { beforeAll, expect, it } from "vitest";
import { type ChannelLike, describeMattermost, type Person } from "./support/world.ts";

const none = "z".repeat(26);
const missingRight = "api.context.permissions.app_error";

describeMattermost("unknown ids", (world) => {
  let bob: Person;
  let stranger: Person;
  let channel: ChannelLike;

  beforeAll(async () => {
    bob = await world.person();
    stranger = await world.person({ isOutsideTeam: true });
    channel = await world.channel([bob]);
  });

  it.each([
    ["GET", "/stats"],
    ["GET", "/members"],
    ["GET", "/members/me"],
    ["POST", "/members/ids", [none]],
  ] as const)("return 403 for %s /channels/{id}%s", async (method, rest, body?: unknown) => {
    const answer = await world.call(bob, method, `/channels/${none}${rest}`, body);
    expect([answer.status, answer.body.id]).toEqual([403, missingRight]);
  });

  it("return 403 if another path, a query or a body names the channel", async () => {
    const answers = [
      await world.call(bob, "GET", `/users/me/channels/${none}/unread`),
      await world.call(bob, "GET", `/users?in_channel=${none}`),
      await world.call(bob, "POST", "/users/me/typing", { channel_id: none }),
    ];
    expect(answers.map(({ status, body }) => [status, body.id])).toEqual(
      answers.map(() => [403, missingRight]),
    );
  });

  it.each([
    ["GET", `/channels/${none}`],
    ["POST", `/channels/${none}/members`],
    ["DELETE", `/channels/${none}/members/me`],
    ["DELETE", `/channels/${none}`],
  ] as const)("return 404 for %s %s, which looks up the channel first", async (method, path) => {
    const answer = await world.call(bob, method, path, method === "POST" ? { user_id: bob.id } : undefined);
    expect([answer.status, answer.body.id]).toEqual([404, "app.channel.get.existing.app_error"]);
  });

  it.each([`/channels/${none}/posts`, `/channels/${none}/pinned`])(
    "return 404 instead of 403 for GET %s on new servers",
    async (path) => {
      const { status, body } = await world.call(bob, "GET", path);
      expect([status, body.id]).toEqual(world.answers.postsOfNoChannel);
    },
  );

  it("can't be deleted as posts", async () => {
    const { status, body } = await world.call(bob, "DELETE", `/posts/${none}`);
    expect([status, body.id]).toEqual(world.answers.deletionOfNoPost);
  });

  it("return 403 for actions on a post, and 404 for reading it", async () => {
    const reaction = { user_id: bob.id, post_id: none, emoji_name: "+1" };
    const acts = [
      await world.call(bob, "POST", "/reactions", reaction),
      await world.call(bob, "DELETE", `/users/me/posts/${none}/reactions/+1`),
      await world.call(bob, "POST", `/posts/${none}/pin`),
      await world.call(bob, "POST", `/users/me/posts/${none}/set_unread`, {}),
      await world.call(bob, "PUT", `/users/me/teams/${world.team.id}/threads/${none}/following`),
      await world.call(bob, "PUT", `/posts/${none}/patch`, { message: "x" }),
    ];
    expect(acts.map(({ status, body }) => [status, body.id])).toEqual(acts.map(() => [403, missingRight]));
    for (const path of [`/posts/${none}`, `/posts/${none}/thread`]) {
      const { status, body } = await world.call(bob, "GET", path);
      expect([status, body.id]).toEqual([404, "app.post.get.app_error"]);
    }
  });

  it.each(["all", "channel", "matterbot", "system"])(
    "a user lookup by the reserved name %s returns 400",
    async (name) => {
      const { status, body } = await world.call(bob, "GET", `/users/username/${name}`);
      expect([status, body.id]).toEqual([400, "api.context.invalid_body_param.app_error"]);
    },
  );

  it("a team's channel search returns 404 for a user outside the team", async () => {
    const path = `/teams/${world.team.id}/channels/search`;
    const { status, body } = await world.call(stranger, "POST", path, { term: "x" });
    expect([status, body.id]).toEqual([404, "app.team.get_member.missing.app_error"]);
  });

  it.each(["before=bad", "after=bad", "since=bad"])(
    "a page of posts with %s returns 400 before any permission check",
    async (query) => {
      for (const who of [bob, stranger]) {
        const { status, body } = await world.call(who, "GET", `/channels/${channel.id}/posts?${query}`);
        expect([status, body.id]).toEqual([400, "api.context.invalid_body_param.app_error"]);
      }
    },
  );
});

describeMattermost("lists of users", (world) => {
  it("show the caller as others see them", async () => {
    const bob = await world.person();
    const lists = [
      (await world.call(bob, "POST", "/users/ids", [bob.id])).body,
      (await world.call(bob, "POST", "/users/usernames", [bob.username])).body,
      (await world.call(bob, "GET", `/users/autocomplete?name=${bob.username}`)).body.users,
    ];
    for (const [user] of lists) {
      expect(user).toMatchObject({ id: bob.id, username: bob.username });
      expect(user).not.toHaveProperty("notify_props");
      expect(user).not.toHaveProperty("last_password_update");
    }
  });

  it("return users outside a channel only if some match", async () => {
    const bob = await world.person();
    const { id } = await world.channel([bob]);
    const find = (name: string) =>
      world.call(bob, "GET", `/users/autocomplete?name=${name}&in_team=${world.team.id}&in_channel=${id}`);
    expect((await find(bob.username)).body).not.toHaveProperty("out_of_channel");
    const carol = await world.person();
    expect((await find(carol.username)).body).toMatchObject({
      users: [],
      out_of_channel: [{ id: carol.id }],
    });
  });
});
