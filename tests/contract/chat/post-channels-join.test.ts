import { describe, expect, it } from "vitest";
import { openChatWorld } from "../../harness/open-chat-world.ts";
import type { AnyBody } from "../../harness/start-chat-world.ts";

const { world, alice, bob } = await openChatWorld("alice", "bob");

describe("POST /channels/{channel_id}/join", () => {
  const join = (id: string, who = bob) => who.api("POST", `/channels/${id}/join`);
  const isMember = async (id: string) =>
    (await bob.api("GET", "/channels")).body.channels.some((channel: AnyBody) => channel.id === id);

  it("joins a public channel and changes nothing for a member", async () => {
    const id = await world.makeChannel([alice]);
    for (let times = 0; times < 2; times += 1) {
      const { status, body } = await join(id);
      expect([status, body]).toEqual([200, { ok: true }]);
      expect(await isMember(id)).toBe(true);
    }
  });

  it("succeeds for simultaneous calls, and when Mattermost fails once", async () => {
    const id = await world.makeChannel([alice]);
    const answers = await Promise.all(Array.from({ length: 6 }, () => join(id)));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    const other = await world.makeChannel([alice]);
    const text = JSON.stringify({ id: "api.channel.add_user.to.channel.failed.app_error", status_code: 500 });
    let isFirst = true;
    world.proxy.treat(({ method, path }) => {
      if (method !== "POST" || path !== `/channels/${other}/members` || !isFirst) return "pass";
      isFirst = false;
      return { status: 500, text };
    });
    try {
      expect((await join(other)).status).toBe(200);
      expect(await isMember(other)).toBe(true);
    } finally {
      world.proxy.treat(() => "pass");
    }
  });

  it("counts the new member at once", async () => {
    const id = await world.makeChannel([alice]);
    const countOf = async () => (await alice.api("GET", `/channels/${id}/posts`)).body.memberCount;
    const before = await countOf();
    await join(id);
    expect(await countOf()).toBe(before + 1);
  });

  it("returns 403 for private channels and direct conversations", async () => {
    const secret = await world.makeChannel([alice], { type: "P" });
    const direct = (await alice.api("POST", "/direct", { username: "carol" })).body.channelId;
    expect((await join(secret)).status).toBe(403);
    expect((await join(direct)).status).toBe(403);
  });

  it("returns 404 for an unknown channel", async () => {
    expect((await join("z".repeat(26))).status).toBe(404);
  });

  it("takes at most 2 Mattermost calls", async () => {
    const id = await world.makeChannel([alice]);
    world.proxy.forget();
    await join(id);
    expect(world.proxy.calls().length).toBeLessThanOrEqual(2);
  });
});
