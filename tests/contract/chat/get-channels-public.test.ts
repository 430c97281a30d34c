import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { flavoursToTry, isOutsideMattermost } from "../../harness/contract-mattermost.ts";
import { type AnyBody, type ChatWorld, type Person, startChatWorld } from "../../harness/start-chat-world.ts";
import { unique } from "../../harness/unique.ts";

describe.each(flavoursToTry())("GET /channels/public with a Mattermost like %s", (flavour) => {
  let world: ChatWorld;
  let owner: Person;
  let reader: Person;
  /** The prefix of this run's titles. */
  let word: string;
  const ids: string[] = [];

  beforeAll(async () => {
    world = await startChatWorld({ flavour });
    [owner, reader] = [await world.newcomer(), await world.newcomer()];
    word = unique("shelf");
    for (const name of ["a", "b", "c"])
      ids.push(await world.makeChannel([owner], { display_name: `${word} ${name}` }));
    await world.makeChannel([owner], { type: "P", display_name: `${word} private` });
  });
  afterAll(() => world.close());

  const browse = async (query: string): Promise<AnyBody> => {
    const { status, body } = await reader.api("GET", `/channels/public${query}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  };

  it("returns each channel's purpose, member count and time of the last message", async () => {
    const [id = ""] = ids;
    await world.admin("PUT", `/channels/${id}/patch`, {
      purpose: "For keeping things",
      header: "Mind the step",
    });
    const { create_at } = await owner.post(id, "hello");
    const { channels } = await browse(`?q=${word}`);
    expect(channels.find((channel: AnyBody) => channel.id === id)).toEqual({
      id,
      name: expect.any(String),
      display_name: `${word} a`,
      type: "O",
      header: "Mind the step",
      purpose: "For keeping things",
      last_post_at: create_at,
      member_count: 2,
      is_member: false,
    });
  });

  it("lists the other channels when one is permanently deleted before its members are counted", async () => {
    const [gone, ...others] = ids;
    const refusal = { id: "api.context.permissions.app_error", message: "", status_code: 403 };
    world.proxy.treat(({ path }) =>
      path === `/channels/${gone}/stats` ? { status: 403, text: JSON.stringify(refusal) } : "pass",
    );
    try {
      const { channels } = await browse(`?q=${word}`);
      const counts = new Map(channels.map(({ id, member_count }: AnyBody) => [id, member_count]));
      for (const id of others) expect(counts.get(id)).toBe(2);
    } finally {
      world.proxy.treat(() => "pass");
    }
  });

  it("finds only public, unarchived channels", async () => {
    const found = async () => (await browse(`?q=${word}`)).channels.map(({ id }: AnyBody) => id);
    expect((await found()).sort()).toEqual([...ids].sort());
    const gone = await world.makeChannel([owner], { display_name: `${word} gone` });
    await world.admin("DELETE", `/channels/${gone}`);
    expect(await found()).not.toContain(gone);
  });

  it("marks the channels that the caller is in", async () => {
    const own = unique("own");
    const id = await world.makeChannel([owner], { display_name: `${own} joined` });
    await world.makeChannel([owner], { display_name: `${own} other` });
    await reader.api("POST", `/channels/${id}/join`);
    const { channels } = await browse(`?q=${own}`);
    expect(channels).toHaveLength(2);
    const joined = channels.filter(({ is_member }: AnyBody) => is_member).map((one: AnyBody) => one.id);
    expect(joined).toEqual([id]);
  });

  it("pages through all channels and through search results", async () => {
    const seen: string[] = [];
    for (let page = 0; ; page += 1) {
      const { channels, hasMore } = await browse(`?per_page=100&page=${page}`);
      seen.push(...channels.map(({ id }: AnyBody) => id));
      if (!hasMore) break;
    }
    expect(seen).toEqual(expect.arrayContaining(ids));
    expect(new Set(seen).size).toBe(seen.length);
    const first = await browse(`?q=${word}&per_page=2`);
    const second = await browse(`?q=${word}&per_page=2&page=1`);
    expect([first.hasMore, second.hasMore]).toEqual([true, false]);
    const both = [...first.channels, ...second.channels].map(({ id }: AnyBody) => id);
    expect(both.sort()).toEqual([...ids].sort());
  });

  it.runIf(flavour === "v11" && !isOutsideMattermost())("takes at most three Mattermost calls", async () => {
    world.proxy.forget();
    await browse("");
    expect(world.proxy.calls().length).toBeLessThanOrEqual(3);
  });
});
