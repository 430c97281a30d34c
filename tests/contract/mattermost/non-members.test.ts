import { beforeAll, expect, it } from "vitest";
import { type ChannelLike, describeMattermost, type Person } from "./support/world.ts";

const missingRight = [403, "api.context.permissions.app_error"];

describeMattermost("a public channel that a team member has not joined", (world) => {
  let alice: Person;
  let bob: Person;
  let channel: ChannelLike;
  let post: { id: string };
  let gone: { id: string };

  beforeAll(async () => {
    [alice, bob] = (await world.people(2)) as [Person, Person];
    channel = await world.channel([alice]);
    post = await world.post(alice, channel.id, "for members");
    gone = await world.post(alice, channel.id, "for nobody any more");
    await alice.client.deletePost(gone.id);
  });

  const answerTo = async (person: Person, method: string, path: string, body?: unknown) => {
    const answer = await world.call(person, method, path, body);
    return [answer.status, answer.body?.id];
  };

  it("hides its members and non-members", async () => {
    for (const [method, path] of [
      ["GET", `/users?in_channel=${channel.id}`],
      ["GET", `/users?not_in_channel=${channel.id}&in_team=${world.team.id}`],
      ["GET", `/users/autocomplete?name=u&in_team=${world.team.id}&in_channel=${channel.id}`],
    ] as const)
      expect([path, await answerTo(bob, method, path)]).toEqual([path, missingRight]);
  });

  it("answers attempts to follow a thread or mark a post unread according to the server's version", async () => {
    const { unreadByGuest, followByGuest } = world.answers;
    const marking = `/users/me/posts/${post.id}/set_unread`;
    expect(await answerTo(bob, "POST", marking, {})).toEqual(unreadByGuest);
    for (const [method, path] of [
      ["PUT", `/users/me/teams/${world.team.id}/threads/${post.id}/following`],
      ["DELETE", `/users/me/teams/${world.team.id}/threads/${post.id}/following`],
    ] as const)
      expect([path, await answerTo(bob, method, path)]).toEqual([path, followByGuest]);
  });

  it("does not reveal a post's deletion to users who may not act on the post", async () => {
    const reaction = { user_id: bob.id, post_id: gone.id, emoji_name: "heart" };
    expect(await answerTo(bob, "POST", "/reactions", reaction)).toEqual(missingRight);
    expect(await answerTo(bob, "DELETE", `/users/me/posts/${gone.id}/reactions/heart`)).toEqual(missingRight);
  });

  it("accepts the pinning of a post on new servers", async () => {
    expect((await world.call(bob, "POST", `/posts/${post.id}/pin`)).status).toBe(
      world.answers.pinFromOutside,
    );
  });

  it("shows deleted posts only to admins, and refuses others on new servers", async () => {
    const path = `/channels/${channel.id}/posts?include_deleted=true`;
    expect((await world.call(alice, "GET", path)).status).toBe(world.answers.askForDeletedPosts);
    expect((await world.call(world.admin, "GET", path)).status).toBe(200);
  });
});
