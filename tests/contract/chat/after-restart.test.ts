import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Chat, request, requestBootstrap, startChat } from "../../harness/start-chat.ts";
import type { AnyBody } from "../../harness/start-chat-world.ts";
import { type Gateway, startGateway } from "../../harness/start-gateway.ts";

describe("a gateway restarted with its store", () => {
  let chat: Chat;
  let gateway: Gateway;
  let dataDir: string;
  let alice: { token: string; userId: string; channelId: string };
  let bob: typeof alice;

  const start = () => startGateway({ settings: { ...chat.settings, DATA_DIR: dataDir } });
  const api = (who: typeof alice, method: string, path: string, body?: unknown) =>
    request<AnyBody>(method, `${gateway.url}/api/chat${path}`, body, {
      authorization: `Bearer ${who.token}`,
    });
  const login = async (name: string, community: string) => {
    const { status, body } = await requestBootstrap(gateway.url, name, { community });
    expect(status).toBe(200);
    return { ...body, channelId: body.channelId ?? "" };
  };
  const post = async (who: typeof alice, message: string) =>
    (await api(who, "POST", `/channels/${who.channelId}/posts`, { message })).body.post;
  const restart = async () => {
    await gateway.close();
    gateway = await start();
    chat.proxy.forget();
  };

  beforeAll(async () => {
    chat = await startChat();
    dataDir = await mkdtemp(join(tmpdir(), "hivegate-"));
    gateway = await start();
    alice = await login("alice", "hive-100001");
    bob = await login("bob", "hive-100001");
  });
  afterAll(async () => {
    await gateway.close();
    await chat.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  it("spends 4 Mattermost calls on a page of posts", async () => {
    await post(bob, "before the restart");
    await restart();
    const { status, body } = await api(alice, "GET", `/channels/${alice.channelId}/posts`);
    expect([status, body.member.user_id, body.canModerate]).toEqual([200, alice.userId, true]);
    expect(chat.calls()).toHaveLength(4);
  });

  it.each([
    ["a reaction", (id: string) => ["POST", `/${id}/reactions`, { emoji: "wave", add: true }] as const, 2],
    ["an edit", (id: string) => ["PATCH", `/${id}`, { message: "edited" }] as const, 2],
    ["a deletion", (id: string) => ["DELETE", `/${id}`, undefined] as const, 2],
  ])("spends 2 Mattermost calls on %s", async (_name, act, calls) => {
    const { id } = await post(alice, "mine");
    await restart();
    const [method, path, body] = act(id);
    expect((await api(alice, method, `/channels/${alice.channelId}/posts${path}`, body)).status).toBe(200);
    expect(chat.calls()).toHaveLength(calls);
  });

  it("spends 2 Mattermost calls on a moderator's deletion after the moderator's first request", async () => {
    const { id } = await post(bob, "unwanted");
    await restart();
    await login("alice", "hive-100001");
    chat.proxy.forget();
    const { status } = await api(alice, "DELETE", `/channels/${alice.channelId}/posts/${id}`);
    expect(status).toBe(200);
    expect(chat.calls()).toHaveLength(2);
  });

  it("spends 2 Mattermost calls on a refusal, and 2 more on checking the database", async () => {
    const { id } = await post(alice, "hers");
    await restart();
    const path = `/channels/${bob.channelId}/posts/${id}`;
    expect((await api(bob, "PATCH", path, { message: "theirs" })).status).toBe(403);
    expect(chat.calls().filter((call) => call !== "GET /system/ping")).toHaveLength(2);
    expect(chat.calls()).toHaveLength(4);
  });

  it("spends 2 Mattermost calls on a search after the caller's first request", async () => {
    const word = `word${Date.now().toString(36)}`;
    await post(alice, word);
    await restart();
    await login("alice", "hive-100001");
    chat.proxy.forget();
    const { body } = await api(alice, "POST", "/search/posts", { term: word });
    expect(body.posts.map(({ message }: { message: string }) => message)).toEqual([word]);
    expect(chat.calls()).toHaveLength(2);
  });

  it("spends 1 Mattermost call on joining, 2 on leaving, 1 on a message with a pending id", async () => {
    await restart();
    const { channelId } = alice;
    const takes = async (calls: number, method: string, path: string, body?: unknown) => {
      chat.proxy.forget();
      expect((await api(alice, method, path, body)).status).toBe(200);
      expect(chat.calls()).toHaveLength(calls);
    };
    await takes(2, "POST", `/channels/${channelId}/leave`);
    await restart();
    await takes(1, "POST", `/channels/${channelId}/join`);
    await restart();
    const pendingPostId = `${alice.userId}:${Date.now()}`;
    await takes(1, "POST", `/channels/${channelId}/posts`, { message: "hi", pendingPostId });
  });
});
