import { describe, expect, it } from "vitest";
import { openChatWorld } from "../../harness/open-chat-world.ts";
import type { AnyBody } from "../../harness/start-chat-world.ts";

const { world, alice, bob } = await openChatWorld("alice", "bob");

describe("POST /channels/{channel_id}/favorite", () => {
  const favor = (id: string, favorite: unknown, who = alice) =>
    who.api("POST", `/channels/${id}/favorite`, { favorite });
  const entry = async (id: string) =>
    (await alice.api("GET", "/channels")).body.channels.find((channel: AnyBody) => channel.id === id);
  const categoriesWith = async (id: string): Promise<string[]> => {
    const { body } = await alice.mattermost("GET", `/users/me/teams/${world.teamId}/channels/categories`);
    return body.categories
      .filter((category: AnyBody) => category.channel_ids.includes(id))
      .map((category: AnyBody) => category.type);
  };

  it("adds a channel to the favourites and removes it again, in Mattermost's own clients too", async () => {
    const id = await world.makeChannel([alice]);
    for (let times = 0; times < 2; times += 1) {
      expect((await favor(id, true)).body).toEqual({ ok: true });
      expect((await entry(id)).is_favorite).toBe(true);
      expect(await categoriesWith(id)).toEqual(["favorites"]);
    }
    for (let times = 0; times < 2; times += 1) {
      expect((await favor(id, false)).status).toBe(200);
      expect((await entry(id)).is_favorite).toBe(false);
      expect(await categoriesWith(id)).toEqual(["channels"]);
    }
  });

  it("works for direct channels, which stay in the list", async () => {
    const id = (await alice.api("POST", "/direct", { username: "bob" })).body.channelId;
    await favor(id, true);
    expect((await entry(id)).is_favorite).toBe(true);
    await favor(id, false);
    expect((await entry(id)).is_favorite).toBe(false);
    expect(await categoriesWith(id)).toEqual(["direct_messages"]);
  });

  it("loses none of several simultaneous changes", async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, () => world.makeChannel([alice])));
    await Promise.all(ids.map((id) => favor(id, true)));
    for (const id of ids) expect((await entry(id)).is_favorite).toBe(true);
  });

  it("takes at most 2 Mattermost calls", async () => {
    const id = await world.makeChannel([alice]);
    world.proxy.forget();
    await favor(id, true);
    expect(world.proxy.calls()).toHaveLength(2);
  });

  it("returns 404 for non-members", async () => {
    expect((await favor(await world.makeChannel([alice]), true, bob)).status).toBe(404);
  });

  it.each([undefined, "true", 1, null])("returns 400 for favorite %j and changes nothing", async (value) => {
    const id = await world.makeChannel([alice]);
    expect((await favor(id, value)).status).toBe(400);
    expect((await entry(id)).is_favorite).toBe(false);
  });
});
