import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { flavoursToTry } from "../../harness/contract-mattermost.ts";
import { type AnyBody, type ChatWorld, type Person, startChatWorld } from "../../harness/start-chat-world.ts";

describe.each(flavoursToTry())("POST /threads/{id}/view with a Mattermost like %s", (flavour) => {
  let world: ChatWorld;
  let writer: Person;
  let bob: Person;
  let reader: Person;

  beforeAll(async () => {
    world = await startChatWorld({ flavour });
    [writer, bob, reader] = [await world.login("alice"), await world.login("bob"), await world.newcomer()];
  });
  afterAll(() => world.close());

  const list = async (): Promise<AnyBody> => (await reader.api("GET", "/threads")).body;
  const find = async (rootId: string) => (await list()).threads.find(({ id }: AnyBody) => id === rootId);
  const view = (rootId: string, until: number) => reader.api("POST", `/threads/${rootId}/view`, { until });

  /** Creates a thread that the reader started and the writer replied to. */
  async function begin() {
    const channelId = await world.makeChannel([writer, reader]);
    const root = await reader.post(channelId, "a question");
    const reply = await writer.post(channelId, `an answer, @${reader.name}`, root.id);
    return { channelId, root, reply };
  }

  it("marks a thread read, which viewing the channel does only without collapsed threads", async () => {
    const { channelId, root, reply } = await begin();
    const { isCollapsed, totalUnread } = await list();
    await reader.api("POST", `/channels/${channelId}/view`);
    expect((await find(root.id)).unread_replies).toBe(isCollapsed ? 1 : 0);
    const { status, body } = await view(root.id, reply.create_at);
    expect([status, body]).toEqual([200, { ok: true }]);
    expect(await find(root.id)).toMatchObject({ unread_replies: 0, unread_mentions: 0 });
    expect((await list()).totalUnread).toBe(totalUnread - 1);
  });

  it("leaves replies after the given time unread", async () => {
    const { channelId, root, reply } = await begin();
    const later = await writer.post(channelId, "and another thing", root.id);
    await view(root.id, reply.create_at);
    expect(await find(root.id)).toMatchObject({ unread_replies: 1, last_reply_at: later.create_at });
  });

  it("marks all threads read", async () => {
    await begin();
    await begin();
    expect((await list()).totalUnread).toBeGreaterThanOrEqual(2);
    expect((await reader.api("POST", "/threads/view")).body).toEqual({ ok: true });
    expect(await list()).toMatchObject({ totalUnread: 0, totalMentions: 0 });
  });

  it("returns 404 for unknown ids, others' private posts and posts without replies", async () => {
    const secret = await bob.post(await world.makeChannel([bob], { type: "P" }), "for myself");
    const unanswered = await reader.post(await world.makeChannel([reader]), "nobody answered");
    for (const id of [secret.id, "z".repeat(26), unanswered.id]) {
      const { status, body } = await view(id, 1);
      expect([status, body.code], id).toEqual([404, "not_found"]);
    }
  });

  it("takes 1 Mattermost call", async () => {
    const { root } = await begin();
    world.proxy.forget();
    await view(root.id, 1);
    await reader.api("POST", "/threads/view");
    expect(world.proxy.calls().length).toBe(2);
  });
});
