import { describe, expect, it } from "vitest";
import { openChatWorld } from "../../harness/open-chat-world.ts";
import type { AnyBody, Person } from "../../harness/start-chat-world.ts";

const { world, alice } = await openChatWorld("alice");
const bob = await world.login("bob", "hive-100001");

describe("POST /channels/{channel_id}/leave", () => {
  const leave = (id: string, who: Person = bob) => who.api("POST", `/channels/${id}/leave`);
  const shows = async (id: string, who: Person = bob) =>
    (await who.api("GET", "/channels")).body.channels.some((channel: AnyBody) => channel.id === id);

  it("leaves a channel; a second call changes nothing", async () => {
    const id = await world.makeChannel([alice, bob]);
    for (let times = 0; times < 2; times += 1) {
      const { status, body } = await leave(id);
      expect([status, body]).toEqual([200, { ok: true }]);
      expect(await shows(id)).toBe(false);
    }
    expect(await shows(id, alice)).toBe(true);
  });

  it("stays in effect across bootstraps until one requests the community or the user joins again", async () => {
    const id = bob.channelId;
    await leave(id);
    await world.login("bob");
    expect(await shows(id)).toBe(false);
    await world.login("bob", "hive-100001");
    expect(await shows(id)).toBe(true);
    await leave(id);
    await bob.api("POST", `/channels/${id}/join`);
    await world.login("bob");
    expect(await shows(id)).toBe(true);
  });

  it("hides a direct channel for the caller only, until its next message", async () => {
    const id = (await bob.api("POST", "/direct", { username: "alice" })).body.channelId;
    await bob.post(id, "hello");
    await alice.api("POST", `/channels/${id}/view`);
    expect((await leave(id, alice)).status).toBe(200);
    expect(await shows(id, alice)).toBe(false);
    expect(await shows(id, bob)).toBe(true);
    await bob.post(id, "hello again");
    expect(await shows(id, alice)).toBe(true);
    await alice.api("POST", `/channels/${id}/view`);
    expect(await shows(id, alice)).toBe(true);
  });

  it("hides a direct channel with unread messages only once they are read", async () => {
    const reader = await world.newcomer();
    const id = (await bob.api("POST", "/direct", { username: reader.name })).body.channelId;
    await bob.post(id, "unread");
    expect((await leave(id, reader)).status).toBe(200);
    expect(await shows(id, reader)).toBe(true);
    expect((await reader.api("GET", "/channels/unreads")).body.totalDMs).toBe(1);
    await reader.api("POST", `/channels/${id}/view`);
    expect(await shows(id, reader)).toBe(false);
    expect((await reader.api("GET", "/channels/unreads")).body.totalDMs).toBe(0);
  });

  it("hides a direct channel until it is opened again", async () => {
    const id = (await alice.api("POST", "/direct", { username: "bob" })).body.channelId;
    await alice.api("POST", `/channels/${id}/view`);
    await leave(id, alice);
    expect(await shows(id, alice)).toBe(false);
    expect((await alice.api("POST", "/direct", { username: "bob" })).body.channelId).toBe(id);
    expect(await shows(id, alice)).toBe(true);
  });

  it("returns 403 for the default channel", async () => {
    const own = await alice.mattermost("GET", `/users/me/teams/${world.teamId}/channels`);
    const square = own.body.find((channel: AnyBody) => channel.name === "town-square");
    expect((await leave(square.id, alice)).status).toBe(403);
  });

  it("returns 404 or 403 for unknown or invisible channels", async () => {
    expect((await leave("z".repeat(26))).status).toBe(404);
    const secret = await world.makeChannel([alice], { type: "P" });
    expect([403, 404]).toContain((await leave(secret)).status);
  });

  it("takes 2 Mattermost calls", async () => {
    const id = await world.makeChannel([alice, bob]);
    world.proxy.forget();
    await leave(id);
    expect(world.proxy.calls()).toHaveLength(2);
  });
});
