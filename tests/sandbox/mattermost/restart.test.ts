import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Account, callMattermost, startTestMattermost } from "../../harness/start-mattermost.ts";
import { startMattermostProcess } from "../../harness/start-mattermost-process.ts";

const folders: string[] = [];

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "mattermost-restart-"));
  folders.push(path);
  return path;
}

afterEach(async () => {
  for (const path of folders.splice(0)) await rm(path, { recursive: true, force: true });
});

describe("a restart of the sandbox's Mattermost", () => {
  it("preserves the operator's token and team, people, tokens, channels, posts, unreads and favourites", async () => {
    const dataDir = await folder();
    const first = await startTestMattermost({ dataDir, keepsData: true });
    const alice = await first.account("alice");
    const bob = await first.account("bob");
    const channel = await first.channel("garden", [alice, bob]);
    const { body: post } = await alice.api("POST", "/posts", {
      channel_id: channel.id,
      message: "seeds @bob",
    });
    await bob.api("PUT", "/users/me/preferences", [
      { user_id: bob.id, category: "favorite_channel", name: channel.id, value: "true" },
    ]);
    await first.close();

    const second = await startTestMattermost({ dataDir, keepsData: true });
    expect(second.adminToken).toBe(first.adminToken);
    expect(second.teamId).toBe(first.teamId);
    const asBob = (method: string, path: string) => callMattermost(second.url, bob.token, method, path);
    expect((await asBob("GET", "/users/me")).body.username).toBe("bob");
    expect((await asBob("GET", `/posts/${post.id}`)).body.message).toBe("seeds @bob");
    const unread = await asBob("GET", `/users/me/channels/${channel.id}/unread`);
    expect(unread.body).toMatchObject({ msg_count: 1, mention_count: 2 });
    const { body } = await asBob("GET", `/users/me/teams/${second.teamId}/channels/categories`);
    expect(body.categories[0].channel_ids).toEqual([channel.id]);
    await second.close();
  });

  it("sets an online user to offline, and leaves one who chose do-not-disturb unchanged", async () => {
    const dataDir = await folder();
    const first = await startTestMattermost({ dataDir, keepsData: true });
    const [alice, bob] = [await first.account("alice"), await first.account("bob")];
    for (const [person, status] of [
      [alice, "online"],
      [bob, "dnd"],
    ] as const) {
      await person.api("PUT", "/users/me/status", { user_id: person.id, status });
    }
    await first.close();
    const second = await startTestMattermost({ dataDir, keepsData: true });
    const statusOf = async ({ id }: Account) =>
      (await second.admin("GET", `/users/${id}/status`)).body.status;
    expect([await statusOf(alice), await statusOf(bob)]).toEqual(["offline", "dnd"]);
    await second.close();
  });

  it("gives posts later times than all earlier ones, even if the clock went back", async () => {
    const dataDir = await folder();
    const first = await startTestMattermost({ dataDir, keepsData: true, now: () => 2_000_000_000_000 });
    const alice = await first.account("alice");
    const channel = await first.channel("garden", [alice]);
    const write = (url: string, message: string) =>
      callMattermost(url, alice.token, "POST", "/posts", { channel_id: channel.id, message });
    const early = (await write(first.url, "early")).body;
    await first.close();
    const second = await startTestMattermost({ dataDir, keepsData: true, now: () => 1_999_999_000_000 });
    expect((await write(second.url, "late")).body.create_at).toBeGreaterThan(early.create_at);
    await second.close();
  });

  it("loses no post that was confirmed before a kill", async () => {
    const dataDir = await folder();
    const doomed = await startMattermostProcess(dataDir);
    const asAdmin = (method: string, path: string, body?: unknown) =>
      callMattermost(doomed.url, doomed.adminToken, method, path, body);
    const name = { name: "doomed", display_name: "Doomed", type: "O", team_id: doomed.teamId };
    const { body: channel } = await asAdmin("POST", "/channels", name);
    const answered: string[] = [];
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let count = 0; ; count++) {
        const message = `${writer}:${count}`;
        const answer = await asAdmin("POST", "/posts", { channel_id: channel.id, message }).catch(() => null);
        if (answer?.status !== 201) return;
        answered.push(answer.body.id);
        if (answered.length === 60) await doomed.kill();
      }
    });
    await Promise.all(writers);

    const next = await startTestMattermost({ dataDir, keepsData: true });
    for (const id of answered) expect((await next.admin("GET", `/posts/${id}`)).status).toBe(200);
    expect((await next.admin("GET", `/channels/${channel.id}`)).body.total_msg_count).toBeGreaterThanOrEqual(
      answered.length,
    );
    await next.close();
  });
});
