import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Chat, request, requestBootstrap, startChat } from "../../harness/start-chat.ts";
import type { AnyBody } from "../../harness/start-chat-world.ts";
import { type LocalGateway, startGateway } from "../../harness/start-gateway.ts";
import { startRedis, type TestRedis } from "../../harness/start-redis.ts";

const ROUNDS = 5;
/**
 * Mattermost looks up an id and records it in two steps without a lock, so calls in between each create a
 * post.
 */
const LOOK_AND_NOTE_MS = 5;

describe.each(["with stores of their own", "with one store"])("two gateways on one Mattermost %s", (kind) => {
  let chat: Chat;
  let folder: string;
  let redis: TestRedis | undefined;
  let gateways: LocalGateway[] = [];
  let alice: { userId: string; token: string; channelId?: string };

  beforeAll(async () => {
    chat = await startChat();
    folder = await mkdtemp(join(tmpdir(), "two-gateways-"));
    if (kind === "with one store") redis = await startRedis({ dataDir: folder });
    const settings = { ...chat.settings, ...(redis && { REDIS_URL: redis.url }) };
    gateways = [await startGateway({ settings }), await startGateway({ settings })];
    const { status, body } = await requestBootstrap(gateways[0]?.url ?? "", "alice", {
      community: "hive-100001",
    });
    expect(status).toBe(200);
    alice = body;
  });
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()));
    await redis?.close();
    await chat.close();
    await rm(folder, { recursive: true, force: true });
  });

  let sent = 0;
  const newPost = () => {
    sent += 1;
    const time = Date.now() + sent;
    return { message: `sent to both ${kind} ${time}`, pendingPostId: `${alice.userId}:${time}` };
  };
  const send = (gateway: LocalGateway, post: unknown) =>
    request<AnyBody>("POST", `${gateway.url}/api/chat/channels/${alice.channelId}/posts`, post, {
      authorization: `Bearer ${alice.token}`,
    });
  const sendToBoth = (post: unknown) =>
    Promise.all([...gateways, ...gateways].map((gateway) => send(gateway, post)));
  /** Expects that a post requested in several places is in the channel once. */
  const expectOne = async (message: string, answers: ReadonlyArray<{ status: number; body: AnyBody }>) => {
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    for (const { body } of answers) expect(body).toEqual(answers[0]?.body);
    const { body } = await chat.ask("GET", `/channels/${alice.channelId}/posts?per_page=60`);
    const posts = Object.values(body.posts as Record<string, { id: string; message: string }>);
    const ours = posts.filter((post) => post.message === message);
    expect(ours.map(({ id }) => id)).toEqual([answers[0]?.body.post.id]);
  };

  it("create one post for a pendingPostId sent to both at once, and return it to all", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const post = newPost();
      let creations = 0;
      chat.proxy.treat(({ method, path }) => {
        const isLater = method === "POST" && path === "/posts" && creations++ > 0;
        return isLater ? { delayMs: LOOK_AND_NOTE_MS } : "pass";
      });
      await expectOne(post.message, await sendToBoth(post));
    }
  });

  it("return the post even when Mattermost rejects one call because another is pending", async () => {
    const text = JSON.stringify({ id: "api.post.deduplicate_create_post.pending", status_code: 500 });
    let creations = 0;
    chat.proxy.treat(({ method, path }) => {
      if (method === "POST" && path === "/posts") creations += 1;
      return method === "POST" && path === "/posts" && creations <= 2 ? { status: 500, text } : "pass";
    });
    const post = newPost();
    const answers = await sendToBoth(post);
    chat.proxy.treat(() => "pass");
    expect(creations).toBeGreaterThanOrEqual(4);
    await expectOne(post.message, answers);
  });
});
