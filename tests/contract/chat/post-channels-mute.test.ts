import { describe, expect, it } from "vitest";
import { openChatWorld } from "../../harness/open-chat-world.ts";
import type { AnyBody } from "../../harness/start-chat-world.ts";

const { world, alice, bob } = await openChatWorld("alice", "bob");

describe("POST /channels/{channel_id}/mute", () => {
  const mute = (id: string, value: unknown, who = alice) =>
    who.api("POST", `/channels/${id}/mute`, { mute: value });
  const entry = async (id: string) =>
    (await alice.api("GET", "/channels")).body.channels.find((channel: AnyBody) => channel.id === id);

  it("mutes everything but mentions, and unmutes", async () => {
    const id = await world.makeChannel([alice, bob]);
    await bob.post(id, "before");
    await alice.api("POST", `/channels/${id}/view`);
    expect((await mute(id, true)).body).toEqual({ ok: true });
    await bob.post(id, "plain");
    await bob.post(id, "for @alice");
    expect(await entry(id)).toMatchObject({ is_muted: true, message_count: 0, mention_count: 1 });
    expect((await mute(id, false)).status).toBe(200);
    expect(await entry(id)).toMatchObject({ is_muted: false, message_count: 2 });
  });

  it("takes 1 Mattermost call", async () => {
    const id = await world.makeChannel([alice]);
    world.proxy.forget();
    await mute(id, true);
    expect(world.proxy.calls()).toHaveLength(1);
  });

  it("returns 403 or 404 for non-members", async () => {
    expect([403, 404]).toContain((await mute(await world.makeChannel([alice]), true, bob)).status);
  });

  it.each([undefined, "yes", 0, null])("returns 400 for mute %j and changes nothing", async (value) => {
    const id = await world.makeChannel([alice]);
    expect((await mute(id, value)).status).toBe(400);
    expect((await entry(id)).is_muted).toBe(false);
  });

  const notify = (id: string, notifyLevel: unknown) =>
    alice.api("POST", `/channels/${id}/mute`, { notifyLevel });
  const kept = async (id: string) =>
    (await alice.mattermost("GET", `/channels/${id}/members/me`)).body.notify_props;

  it.each(["all", "mention", "none", "default"])(
    "stores the notification level %s in Mattermost, without muting",
    async (level) => {
      const id = await world.makeChannel([alice]);
      if (level === "default") await notify(id, "none");
      expect((await notify(id, level)).body).toEqual({ ok: true });
      expect(await entry(id)).toMatchObject({ notify_level: level, is_muted: false });
      expect(await kept(id)).toMatchObject({ desktop: level, mark_unread: "all" });
    },
  );

  it("sets muting and the level in 1 Mattermost call, independently of each other", async () => {
    const id = await world.makeChannel([alice]);
    world.proxy.forget();
    await alice.api("POST", `/channels/${id}/mute`, { mute: true, notifyLevel: "all" });
    expect(world.proxy.calls()).toHaveLength(1);
    expect(await entry(id)).toMatchObject({ is_muted: true, notify_level: "all" });
    await mute(id, false);
    expect(await entry(id)).toMatchObject({ is_muted: false, notify_level: "all" });
  });

  it("another app's levels appear in GET /channels, unknown ones as the default", async () => {
    const id = await world.makeChannel([alice]);
    const set = (desktop: string) =>
      alice.mattermost("PUT", `/channels/${id}/members/${alice.id}/notify_props`, { desktop });
    await set("mention");
    expect((await entry(id)).notify_level).toBe("mention");
    await set("default");
    await set("nonsense");
    expect((await entry(id)).notify_level).toBe("default");
  });

  it.each(["loud", "", "ALL", null, 1, true])(
    "returns 400 for the level %j and changes nothing",
    async (level) => {
      const id = await world.makeChannel([alice]);
      await notify(id, "none");
      expect((await notify(id, level)).status).toBe(400);
      expect((await entry(id)).notify_level).toBe("none");
    },
  );
});
