import { describe, expect, it } from "vitest";
import { openChatWorld } from "../../harness/open-chat-world.ts";
import type { Person } from "../../harness/start-chat-world.ts";
import { unique } from "../../harness/unique.ts";

const { world } = await openChatWorld();
const alice = await world.login("alice", "hive-100001");
const bob = await world.login("bob", "hive-100001");
const carol = await world.login("carol", "hive-100001");
const developers = await world.login("carol", "hive-100002");

describe("DELETE /channels/{channel_id}/posts/{post_id}", () => {
  const remove = (who: Person, channelId: string, postId: string) =>
    who.api("DELETE", `/channels/${channelId}/posts/${postId}`);
  const isThere = async (postId: string) => (await bob.mattermost("GET", `/posts/${postId}`)).status === 200;

  it("deletes the author's message", async () => {
    const post = await bob.post(bob.channelId, "mine");
    const { status, body } = await remove(bob, bob.channelId, post.id);
    expect([status, body]).toEqual([200, { ok: true }]);
    expect(await isThere(post.id)).toBe(false);
    expect((await remove(bob, bob.channelId, post.id)).status).toBe(404);
  });

  it.each([
    ["owner", () => alice],
    ["mod", () => carol],
  ])("deletes another member's message in a community's channel for its %s", async (_role, who) => {
    const post = await bob.post(bob.channelId, "unwanted");
    expect((await remove(who(), bob.channelId, post.id)).status).toBe(200);
    expect(await isThere(post.id)).toBe(false);
  });

  it("returns 404 for deleting or editing a message that another user has deleted", async () => {
    const post = await bob.post(bob.channelId, "gone meanwhile");
    await world.admin("DELETE", `/posts/${post.id}`);
    for (const who of [bob, alice, carol])
      expect((await remove(who, bob.channelId, post.id)).status).toBe(404);
    const again = await bob.post(bob.channelId, "gone too");
    await world.admin("DELETE", `/posts/${again.id}`);
    const moderation = await remove(carol, bob.channelId, again.id);
    expect([moderation.status, moderation.body.code]).toEqual([404, "not_found"]);
    const edit = { message: "back" };
    const third = await bob.post(bob.channelId, "gone as well");
    await world.admin("DELETE", `/posts/${third.id}`);
    expect((await bob.api("PATCH", `/channels/${bob.channelId}/posts/${third.id}`, edit)).status).toBe(404);
  });

  it("returns 403 for a member who is neither the author nor a moderator", async () => {
    const post = await alice.post(alice.channelId, "hers");
    expect((await remove(bob, bob.channelId, post.id)).status).toBe(403);
    expect(await isThere(post.id)).toBe(true);
  });

  it("grants a moderator no rights in other channels, whatever the URL says", async () => {
    const room = await world.makeChannel([bob, carol]);
    const inRoom = await bob.post(room, "in an ordinary channel");
    expect((await remove(carol, room, inRoom.id)).status).toBe(403);
    expect((await remove(carol, carol.channelId, inRoom.id)).status).toBe(404);
    await world.login("bob", "hive-100002");
    const elsewhere = await bob.post(developers.channelId, "in another community");
    expect((await remove(carol, developers.channelId, elsewhere.id)).status).toBe(403);
    expect((await remove(carol, carol.channelId, elsewhere.id)).status).toBe(404);
    expect([await isThere(inRoom.id), await isThere(elsewhere.id)]).toEqual([true, true]);
  });

  it("grants no rights in a private channel named like a community", async () => {
    // The name is unique to this run: a persistent server does not free even the name of an archived channel.
    const name = `hive-1${String(Date.now()).slice(-6)}`;
    await world.chain.setCommunity({ name, title: "T", roles: [["carol", "owner"]], subscribers: [] });
    const secret = await world.makeChannel([bob, carol], { type: "P", name });
    const post = await bob.post(secret, "secret");
    expect((await remove(carol, secret, post.id)).status).toBe(403);
  });

  it("grants a community's ordinary members no rights", async () => {
    const name = "hive-177777";
    await world.chain.setCommunity({ name, title: "T", roles: [["alice", "owner"]], subscribers: [] });
    const { channelId } = await world.login("bob", name);
    const someone = await world.newcomer();
    await world.chain.setCommunity({ name, title: "T", roles: [[someone.name, "member"]], subscribers: [] });
    await world.admin("POST", `/channels/${channelId}/members`, { user_id: someone.id });
    const post = await bob.post(channelId, "stays");
    expect((await remove(someone, channelId, post.id)).status).toBe(403);
    expect(await isThere(post.id)).toBe(true);
  });

  it("grants no rights in another team's channel named like the community", async () => {
    const name = unique("team");
    const team = await world.admin<{ id: string }>("POST", "/teams", { name, display_name: name, type: "O" });
    for (const { id } of [bob, carol])
      await world.admin("POST", `/teams/${team.id}/members`, { team_id: team.id, user_id: id });
    const fields = { team_id: team.id, name: "hive-100001", display_name: "elsewhere", type: "O" };
    const channel = await world.admin<{ id: string }>("POST", "/channels", fields);
    for (const { id } of [bob, carol])
      await world.admin("POST", `/channels/${channel.id}/members`, { user_id: id });
    const post = await bob.post(channel.id, "stays");
    expect((await remove(carol, channel.id, post.id)).status).toBe(403);
    expect(await isThere(post.id)).toBe(true);
  });

  it("grants no rights to a user who takes the community owner's name in Mattermost", async () => {
    const impostor = await world.newcomer();
    const chosen = unique("m");
    await world.chain.setAccount({ name: chosen });
    await world.chain.setCommunity({
      name: "hive-188888",
      title: "Renamed",
      roles: [[chosen, "owner"]],
      subscribers: [],
    });
    await impostor.mattermost("PUT", "/users/me/patch", { username: chosen });
    const victim = await world.login("bob", "hive-188888");
    await world.admin("POST", `/channels/${victim.channelId}/members`, { user_id: impostor.id });
    const post = await bob.post(victim.channelId, "stays");
    // The token is one that the gateway has not cached yet, as after a restart.
    const { token } = await world.admin<{ token: string }>("POST", `/users/${impostor.id}/tokens`, {
      description: "x",
    });
    const own = { authorization: `Bearer ${token}` };
    const address = `/channels/${victim.channelId}/posts`;
    const { body } = await impostor.api("GET", address, undefined, own);
    expect([body.users[impostor.id].username, body.canModerate]).toEqual([chosen, false]);
    expect((await impostor.api("DELETE", `${address}/${post.id}`, undefined, own)).status).toBe(403);
    expect(await isThere(post.id)).toBe(true);
  });

  it("preserves a moderator's rights while their user has another name", async () => {
    const mod = await world.newcomer();
    const name = "hive-166666";
    await world.chain.setCommunity({ name, title: "T", roles: [[mod.name, "mod"]], subscribers: [] });
    const victim = await world.login("bob", name);
    await world.admin("POST", `/channels/${victim.channelId}/members`, { user_id: mod.id });
    await mod.mattermost("PUT", "/users/me/patch", { username: unique("m") });
    const post = await bob.post(victim.channelId, "unwanted");
    const { body } = await mod.api("GET", `/channels/${victim.channelId}/posts`);
    expect(body.canModerate).toBe(true);
    expect((await remove(mod, victim.channelId, post.id)).status).toBe(200);
  });

  it("preserves authors' rights but grants no others while the chain is down", async () => {
    const [own, other] = [
      await carol.post(developers.channelId, "own"),
      await alice.post(alice.channelId, "other"),
    ];
    const dave = await world.login("dave", "hive-100001");
    await world.chain.setFault({ kind: "cut" });
    try {
      expect((await remove(dave, alice.channelId, other.id)).status).toBe(403);
      expect((await remove(carol, developers.channelId, own.id)).status).toBe(200);
    } finally {
      await world.chain.clearFaults();
    }
  });

  it("takes 1 Mattermost call for an author, and 2 for a moderator with cached rights", async () => {
    const [own, other] = [await alice.post(alice.channelId, "own"), await bob.post(bob.channelId, "other")];
    world.proxy.forget();
    await remove(alice, alice.channelId, own.id);
    expect(world.proxy.calls()).toHaveLength(1);
    await alice.api("GET", "/channels");
    world.proxy.forget();
    expect((await remove(alice, alice.channelId, other.id)).status).toBe(200);
    expect(world.proxy.calls()).toHaveLength(2);
  });

  it("returns 401 for a revoked token, without deleting the message", async () => {
    const post = await bob.post(bob.channelId, "stays");
    const dead = { authorization: `Bearer ${"x".repeat(26)}` };
    const { status } = await alice.api(
      "DELETE",
      `/channels/${bob.channelId}/posts/${post.id}`,
      undefined,
      dead,
    );
    expect(status).toBe(401);
    expect(await isThere(post.id)).toBe(true);
  });
});
