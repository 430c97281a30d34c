import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { flavoursToTry } from "../../harness/contract-mattermost.ts";
import { type AnyBody, type ChatWorld, type Person, startChatWorld } from "../../harness/start-chat-world.ts";
import { unique } from "../../harness/unique.ts";

describe.each(flavoursToTry())("GET /channels with a Mattermost like %s", (flavour) => {
  let world: ChatWorld;
  let alice: Person;
  let bob: Person;
  let direct: string;

  beforeAll(async () => {
    world = await startChatWorld({ flavour });
    alice = await world.login("alice");
    bob = await world.login("bob");
    direct = (await alice.api("POST", "/direct", { username: "bob" })).body.channelId;
  });
  afterAll(() => world.close());

  const list = async (who = alice): Promise<AnyBody[]> => {
    const { status, body } = await who.api("GET", "/channels");
    expect(status).toBe(200);
    return body.channels;
  };
  const entry = async (id: string, who = alice) => (await list(who)).find((channel) => channel.id === id);

  it("lists only the caller's channels", async () => {
    const [own, others] = [await world.makeChannel([alice]), await world.makeChannel([bob])];
    const ids = (await list()).map(({ id }) => id);
    expect(ids).toContain(own);
    expect(ids).not.toContain(others);
  });

  it("sorts names that contain numbers by those numbers", async () => {
    const label = unique("Counted");
    const [tenth, second] = [
      await world.makeChannel([alice], { display_name: `${label} 10` }),
      await world.makeChannel([alice], { display_name: `${label} 2` }),
    ];
    const ids = (await list()).map(({ id }) => id);
    expect(ids.indexOf(second)).toBeLessThan(ids.indexOf(tenth));
  });

  it("returns the contract's fields in an entry", async () => {
    const id = await world.makeChannel([alice], { display_name: "Some room" });
    expect(await entry(id)).toEqual({
      id,
      name: expect.any(String),
      display_name: "Some room",
      type: "O",
      team_id: world.teamId,
      header: "",
      purpose: "",
      last_post_at: expect.any(Number),
      total_msg_count: 0,
      total_msg_count_root: 0,
      create_at: expect.any(Number),
      is_favorite: false,
      is_muted: false,
      notify_level: "default",
      mention_count: 0,
      message_count: 0,
      last_viewed_at: expect.any(Number),
      order: expect.any(Number),
    });
  });

  it("sorts by `order`, favourites first", async () => {
    const id = await world.makeChannel([alice], { display_name: `zz ${unique("")}` });
    await alice.api("POST", `/channels/${id}/favorite`, { favorite: true });
    const channels = await list();
    expect(channels.map(({ order }) => order)).toEqual(channels.map((_channel, index) => index));
    const favorites = channels.map(({ is_favorite }) => is_favorite);
    expect(favorites).toEqual([...favorites].sort((a, b) => Number(b) - Number(a)));
    expect(channels.find((channel) => channel.id === id).is_favorite).toBe(true);
  });

  it("returns the partner of a direct channel without private fields", async () => {
    const channel = await entry(direct);
    expect(channel).toMatchObject({ type: "D", display_name: "@bob", team_id: "" });
    expect(channel.directUser).toEqual({
      id: bob.id,
      username: "bob",
      first_name: expect.any(String),
      last_name: expect.any(String),
      nickname: expect.any(String),
      last_picture_update: expect.any(Number),
    });
    expect(await entry(direct, bob)).toMatchObject({ directUser: { username: "alice" } });
  });

  it("counts messages and mentions since the channel was opened", async () => {
    const id = await world.makeChannel([alice, bob]);
    await bob.post(id, "first");
    await alice.api("POST", `/channels/${id}/view`);
    await bob.post(id, "second");
    await bob.post(id, "third for @alice");
    expect(await entry(id)).toMatchObject({ message_count: 2, mention_count: 1, total_msg_count_root: 3 });
    await alice.api("POST", `/channels/${id}/view`);
    expect(await entry(id)).toMatchObject({ message_count: 0, mention_count: 0 });
  });

  it("counts a new user's first direct message", async () => {
    const newcomer = await world.newcomer();
    const id = (await newcomer.api("POST", "/direct", { username: "alice" })).body.channelId;
    await newcomer.post(id, "hello alice");
    expect(await entry(id)).toMatchObject({ message_count: 1, last_viewed_at: 0 });
  });

  it("omits direct channels with deactivated users", async () => {
    const goner = await world.newcomer();
    const id = (await goner.api("POST", "/direct", { username: "alice" })).body.channelId;
    await goner.post(id, "bye");
    expect(await entry(id)).toBeDefined();
    await world.admin("PUT", `/users/${goner.id}/active`, { active: false });
    expect(await entry(id)).toBeUndefined();
  });

  it("takes at most 4 Mattermost calls, even with direct channels", async () => {
    await list();
    world.proxy.forget();
    await list();
    expect(world.proxy.calls().length).toBeLessThanOrEqual(4);
  });

  it("hides users' private fields", async () => {
    await world.admin("PUT", `/users/${bob.id}/patch`, { props: { private_note: "hidden treasure" } });
    expect(JSON.stringify(await list())).not.toMatch(
      /hidden treasure|@users\.hivegate\.invalid|notify_props/,
    );
  });
});
