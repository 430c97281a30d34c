import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callMattermost, startTestMattermost, type TestMattermost } from "../../harness/start-mattermost.ts";

describe("the seed of the sandbox's Mattermost", () => {
  let server: TestMattermost;
  const people: Record<string, { id: string; token: string }> = {};
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "mattermost-seed-"));
    server = await startTestMattermost({ dataDir, seed: true, keepsData: true });
    for (const name of ["alice", "bob"]) {
      const { body: user } = await server.admin("GET", `/users/username/${name}`);
      const { body } = await server.admin("POST", `/users/${user.id}/tokens`, { description: "seed" });
      people[name] = { id: user.id, token: body.token };
    }
  });
  afterAll(async () => {
    await server.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const as = (name: string, path: string) =>
    callMattermost(server.url, people[name]?.token ?? "", "GET", path);

  it("creates the communities' channels under the chain's titles, with their subscribers", async () => {
    for (const [name, title, members] of [
      ["hive-100001", "Photography", ["alice", "bob", "carol"]],
      ["hive-100002", "Hive Developers", ["alice", "bob", "carol", "erin"]],
    ] as const) {
      const { body: channel } = await server.admin("GET", `/teams/${server.teamId}/channels/name/${name}`);
      expect(channel).toMatchObject({ type: "O", display_name: title });
      const { body } = await server.admin("GET", `/users?in_channel=${channel.id}`);
      const names = body.map((user: { username: string }) => user.username);
      expect(names.filter((found: string) => !found.includes("_"))).toEqual(members);
    }
  });

  it("creates no user for the shop", async () => {
    expect((await server.admin("GET", "/users/username/shop")).status).toBe(404);
  });

  it("leaves alice an unread message, a mention, two threads and a direct message", async () => {
    const { body: channels } = await as("alice", `/users/me/teams/${server.teamId}/channels`);
    const { body: members } = await as("alice", `/users/me/teams/${server.teamId}/channels/members`);
    const of = (id: string) => members.find((member: { channel_id: string }) => member.channel_id === id);
    const direct = channels.find(({ type }: { type: string }) => type === "D");
    expect(of(direct.id).mention_count).toBe(1);
    const developers = channels.find(({ name }: { name: string }) => name === "hive-100002");
    expect(of(developers.id).mention_count).toBe(1);
    expect(developers.total_msg_count).toBeGreaterThan(of(developers.id).msg_count);
    const { body: threads } = await as("alice", `/users/me/teams/${server.teamId}/threads`);
    expect(threads.total).toBe(2);
  });

  it("posts its story in order and in the past, with code and reactions", async () => {
    const { body: channel } = await server.admin("GET", `/teams/${server.teamId}/channels/name/hive-100002`);
    const { body } = await as("bob", `/channels/${channel.id}/posts`);
    const posts = body.order.map((id: string) => body.posts[id]).reverse();
    const times = posts.map((post: { create_at: number }) => post.create_at);
    expect(times).toEqual([...times].sort((a: number, b: number) => a - b));
    expect(times.at(-1)).toBeLessThan(Date.now());
    expect(posts.some((post: { message: string }) => post.message.includes("```ts"))).toBe(true);
    expect(posts.some((post: { has_reactions?: boolean }) => post.has_reactions)).toBe(true);
  });

  it("runs once, so that a second start adds nothing", async () => {
    const count = async (url: string, token: string) =>
      (await callMattermost(url, token, "GET", `/teams/${server.teamId}/stats`)).body.total_member_count;
    const before = await count(server.url, server.adminToken);
    const again = await startTestMattermost({ dataDir, keepsData: true, seed: true });
    expect(await count(again.url, again.adminToken)).toBe(before);
    const { body } = await again.admin("GET", `/teams/${server.teamId}/channels/name/hive-100001`);
    expect(body.total_msg_count).toBe(6);
    await again.close();
  });
});
