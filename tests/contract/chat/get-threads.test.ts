import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { flavoursToTry } from "../../harness/contract-mattermost.ts";
import { type AnyBody, type ChatWorld, type Person, startChatWorld } from "../../harness/start-chat-world.ts";
import { type GatewayOptions, startGateway } from "../../harness/start-gateway.ts";
import { type RecordingProxy, startRecordingProxy } from "../../harness/start-recording-proxy.ts";

describe.each(flavoursToTry())("GET /threads with a Mattermost like %s", (flavour) => {
  let world: ChatWorld;
  let writer: Person;
  let reader: Person;

  beforeAll(async () => {
    world = await startChatWorld({ flavour });
    [writer, reader] = [await world.newcomer(), await world.newcomer()];
  });
  afterAll(() => world.close());

  const list = async (query = "", who = reader): Promise<AnyBody> => {
    const { status, body } = await who.api("GET", `/threads${query}`);
    expect(status).toBe(200);
    return body;
  };
  /** Creates a thread that the reader started and the writer replied to. */
  const begin = async (answer = "an answer") => {
    const channelId = await world.makeChannel([writer, reader]);
    const root = await reader.post(channelId, "a question");
    const reply = await writer.post(channelId, answer, root.id);
    return { channelId, root, reply };
  };

  it("lists a thread that the caller started, with its unread count, root, people and channel", async () => {
    const { channelId, root, reply } = await begin(`look, @${reader.name}`);
    const { threads, users, channels, totalUnread, totalMentions, hasMore } = await list();
    expect(threads[0]).toMatchObject({
      id: root.id,
      channel_id: channelId,
      reply_count: 1,
      last_reply_at: reply.create_at,
      unread_replies: 1,
      unread_mentions: 1,
      participants: [writer.id],
      post: { id: root.id, message: "a question" },
    });
    expect(users[writer.id]).toMatchObject({ username: writer.name });
    expect(users[reader.id]).toMatchObject({ username: reader.name });
    expect(channels[channelId]).toMatchObject({ id: channelId, type: "O" });
    expect([totalUnread >= 1, totalMentions >= 1, hasMore]).toEqual([true, true, false]);
  });

  it("pages backwards through the threads, and lists only unread ones on request", async () => {
    const someone = await world.newcomer();
    const channelId = await world.makeChannel([writer, someone]);
    const roots: string[] = [];
    for (const text of ["three", "two", "one"]) roots.push((await someone.post(channelId, text)).id);
    for (const id of roots.toReversed()) await writer.post(channelId, "answer", id);
    const ids = ({ threads }: AnyBody) => threads.map(({ id }: AnyBody) => id);
    const first = await list("?per_page=2", someone);
    expect([ids(first), first.hasMore]).toEqual([roots.slice(0, 2), true]);
    const rest = await list(`?per_page=2&before=${roots[1]}`, someone);
    expect([ids(rest), rest.hasMore]).toEqual([roots.slice(2), false]);
    await someone.api("POST", `/threads/${roots[1]}/view`, { until: Date.now() });
    expect(ids(await list("?unread=true", someone))).toEqual([roots[0], roots[2]]);
  });

  it("takes at most 3 Mattermost calls, and one more if users choose how threads count", async () => {
    await begin();
    const { CollapsedThreads: setting } = await world.admin("GET", "/config/client?format=old");
    const isChosen = /^default_/.test(setting);
    world.proxy.forget();
    await list();
    expect(world.proxy.calls().length).toBeLessThanOrEqual(isChosen ? 4 : 3);
  });

  it("hides users' private fields", async () => {
    await begin();
    expect(JSON.stringify(await list())).not.toMatch(/@users\.hivegate\.invalid|notify_props/);
  });
});

it.each([
  ["default_on", "off", false],
  ["default_off", "on", true],
  ["default_on", null, true],
  ["default_off", null, false],
  ["always_on", "off", true],
  ["disabled", "on", false],
])(
  "threads are collapsed as Mattermost's setting (%s) and the user's (%s) say",
  async (setting, wanted, isCollapsed) => {
    const config = JSON.stringify({ CollapsedThreads: setting });
    let front: RecordingProxy | undefined;
    const world = await startChatWorld({
      start: async (options: GatewayOptions) => {
        front = await startRecordingProxy(options?.settings?.CHAT_BASE_URL ?? "");
        front.treat(({ path }) =>
          path.startsWith("/config/client") ? { status: 200, text: config } : "pass",
        );
        return startGateway({ ...options, settings: { ...options?.settings, CHAT_BASE_URL: front.url } });
      },
    });
    try {
      const [writer, reader] = [await world.newcomer(), await world.newcomer()];
      const preference = {
        user_id: reader.id,
        category: "display_settings",
        name: "collapsed_reply_threads",
      };
      if (wanted !== null)
        await reader.mattermost("PUT", "/users/me/preferences", [{ ...preference, value: wanted }]);
      const id = await world.makeChannel([writer, reader]);
      const root = await reader.post(id, "root");
      await writer.post(id, "reply", root.id);
      const { channels } = (await reader.api("GET", "/channels/unreads")).body;
      const row = channels.find(({ channelId }: AnyBody) => channelId === id);
      expect([row.message_count, row.thread_unread]).toEqual(isCollapsed ? [0, 1] : [1, 0]);
      const listed = (await reader.api("GET", "/channels")).body.channels;
      expect(listed.find((channel: AnyBody) => channel.id === id).message_count).toBe(isCollapsed ? 0 : 1);
      expect((await reader.api("GET", "/threads")).body.isCollapsed).toBe(isCollapsed);
    } finally {
      await world.close();
      await front?.close();
    }
  },
);
