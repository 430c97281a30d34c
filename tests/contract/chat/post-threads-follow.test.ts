import { expect, it } from "vitest";
import { openChatWorld } from "../../harness/open-chat-world.ts";
import type { AnyBody, Person } from "../../harness/start-chat-world.ts";

const { world, alice, bob } = await openChatWorld("alice", "bob");
const reader = await world.newcomer();

const follow = (who: Person, rootId: string, is: boolean) =>
  who.api("POST", `/threads/${rootId}/follow`, { follow: is });
const isListed = async (who: Person, rootId: string) =>
  (await who.api("GET", "/threads")).body.threads.some(({ id }: AnyBody) => id === rootId);

it("a thread can be unfollowed and followed again, even if the caller never replied", async () => {
  const channelId = await world.makeChannel([alice, bob, reader]);
  const root = await alice.post(channelId, "a question");
  await bob.post(channelId, "an answer", root.id);
  expect([await isListed(alice, root.id), await isListed(reader, root.id)]).toEqual([true, false]);
  for (const who of [alice, reader]) {
    for (const is of [false, true, true]) {
      const { status, body } = await follow(who, root.id, is);
      expect([status, body]).toEqual([200, { ok: true }]);
      expect(await isListed(who, root.id)).toBe(is);
    }
  }
});

it("following an unknown thread, or one in others' channels, returns 404", async () => {
  const secret = await alice.post(await world.makeChannel([alice], { type: "P" }), "for myself");
  for (const id of [secret.id, "z".repeat(26)]) {
    const { status, body } = await follow(reader, id, true);
    expect([status, body.code], id).toEqual([404, "not_found"]);
  }
});

it("following a thread takes one Mattermost call", async () => {
  const root = await alice.post(await world.makeChannel([alice]), "root");
  world.proxy.forget();
  await follow(alice, root.id, true);
  expect(world.proxy.calls().length).toBe(1);
});
