import { describe, expect, it } from "vitest";
import { openChatWorld } from "../../harness/open-chat-world.ts";
import type { AnyBody } from "../../harness/start-chat-world.ts";

const { world, alice, bob } = await openChatWorld("alice", "bob");

describe("POST /channels/{channel_id}/view", () => {
  const entry = async (id: string) =>
    (await alice.api("GET", "/channels")).body.channels.find((channel: AnyBody) => channel.id === id);

  it("marks the channel viewed and resets its counters", async () => {
    const id = await world.makeChannel([alice, bob]);
    await bob.post(id, "for @alice");
    expect((await alice.api("POST", `/channels/${id}/view`)).body).toEqual({ ok: true });
    expect(await entry(id)).toMatchObject({ message_count: 0, mention_count: 0 });
    expect((await entry(id)).last_viewed_at).toBeGreaterThan(0);
  });

  it("opens a channel without messages, so that later messages are new", async () => {
    // Adding alice would leave a mention, so she joins on her own.
    const id = await world.makeChannel([bob]);
    await alice.api("POST", `/channels/${id}/join`);
    const counted = async () =>
      (await alice.api("GET", "/channels/unreads")).body.channels.find(
        (row: AnyBody) => row.channelId === id,
      );
    await alice.api("POST", `/channels/${id}/view`);
    await bob.post(id, "the first words here");
    expect(await entry(id)).toMatchObject({ message_count: 1 });
    expect((await entry(id)).last_viewed_at).toBeGreaterThan(0);
    expect(await counted()).toMatchObject({ message_count: 1, unread_eligible: true });

    await alice.api("POST", `/channels/${id}/leave`);
    await alice.api("POST", `/channels/${id}/join`);
    expect(await entry(id)).toMatchObject({ message_count: 0, last_viewed_at: 0 });
  });

  it("accepts and ignores a body", async () => {
    const id = await world.makeChannel([alice]);
    expect((await alice.api("POST", `/channels/${id}/view`, { prev_channel_id: "x" })).status).toBe(200);
  });

  it("takes 2 Mattermost calls, made simultaneously", async () => {
    const id = await world.makeChannel([alice, bob]);
    await bob.post(id, "news");
    world.proxy.treat(() => ({ delayMs: 20 }));
    world.proxy.forget();
    await alice.api("POST", `/channels/${id}/view`);
    world.proxy.treat(() => "pass");
    expect([world.proxy.calls().length, world.proxy.mostAtOnce()]).toEqual([2, 2]);
  });

  it("returns 404 for unknown channels and channels that the caller has not joined", async () => {
    const theirs = await world.makeChannel([bob], { type: "P" });
    for (const id of ["z".repeat(26), theirs, await world.makeChannel([bob])]) {
      const { status, body } = await alice.api("POST", `/channels/${id}/view`);
      expect([status, body.code]).toEqual([404, "not_found"]);
    }
  });
});
