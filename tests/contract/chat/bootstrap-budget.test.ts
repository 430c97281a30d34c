import { beforeAll, describe, expect, it } from "vitest";
import { requestBootstrap } from "../../harness/start-chat.ts";
import { useChat } from "../../harness/use-chat.ts";

describe("bootstrap", () => {
  const world = useChat();

  const bootstrap = (username: string, more?: Record<string, unknown>) =>
    requestBootstrap(world.gateway.url, username, more);
  const openChannel = (name: string) =>
    world.chat.ask("POST", "/channels", { team_id: world.chat.teamId, name, display_name: name, type: "O" });
  const callsOf = (shape: RegExp) => world.chat.calls().filter((call) => shape.test(call));

  it("takes at most 4 Mattermost calls when warm, for a member of 25 communities", async () => {
    const name = await world.chat.newAccount();
    const names = await world.chat.newCommunities(25, name);
    await bootstrap(name);
    for (const community of [undefined, names[7]]) {
      world.chat.proxy.forget();
      expect((await bootstrap(name, { community })).status).toBe(200);
      expect(world.chat.calls().length).toBeLessThanOrEqual(4);
    }
  });

  it("takes at most 4 calls when warm and joining one more existing channel", async () => {
    const name = await world.chat.newAccount();
    await world.chat.newCommunities(5, name);
    const [community = ""] = await world.chat.newCommunities(1, "bob");
    await openChannel(community);
    await bootstrap(name);
    world.chat.proxy.forget();
    expect((await bootstrap(name, { community })).status).toBe(200);
    expect(world.chat.calls().length).toBeLessThanOrEqual(4);
  });

  it("takes at most 4 calls when warm, for a member of communities with archived channels", async () => {
    const name = await world.chat.newAccount();
    for (const community of await world.chat.newCommunities(10, name)) {
      const { body } = await openChannel(community);
      await world.chat.ask("DELETE", `/channels/${body.id}`);
    }
    expect((await bootstrap(name)).status).toBe(200);
    world.chat.proxy.forget();
    expect((await bootstrap(name)).status).toBe(200);
    expect(world.chat.calls().length).toBeLessThanOrEqual(4);
  });

  it.each([0, 1, 2, 3, 20])(
    "takes at most 6 + 2N calls for a new user with N = %i new communities, at most 8 at once",
    async (count) => {
      const name = await world.chat.newAccount();
      const names = await world.chat.newCommunities(count, name);
      world.chat.proxy.treat(() => ({ delayMs: 5 }));
      const { status, body } = await bootstrap(name);
      expect(status).toBe(200);
      expect(world.chat.calls().length).toBeLessThanOrEqual(6 + 2 * count);
      expect(world.chat.proxy.mostAtOnce()).toBeLessThanOrEqual(8);
      for (const community of names)
        expect(await world.chat.isMember((await world.chat.channelNamed(community)).id, body.userId)).toBe(
          true,
        );
    },
  );

  it.each([1, 2, 3, 20])("takes at most 6 + 2N calls if all N = %i channels already exist", async (count) => {
    const name = await world.chat.newAccount();
    for (const community of await world.chat.newCommunities(count, name)) {
      await openChannel(community);
    }
    expect((await bootstrap(name)).status).toBe(200);
    expect(world.chat.calls().length).toBeLessThanOrEqual(6 + 2 * count);
  });

  it("takes at most 6 + 2N calls for a returning user whose token was lost, with N = 4 new communities", async () => {
    const name = await world.chat.newAccount();
    await bootstrap(name);
    await world.restart();
    await world.chat.newCommunities(4, name);
    world.chat.proxy.forget();
    expect((await bootstrap(name)).status).toBe(200);
    expect(world.chat.calls().length).toBeLessThanOrEqual(6 + 2 * 4);
  });

  describe("in a team with more channels than one page holds", () => {
    let crowd: string[];

    beforeAll(async () => {
      crowd = await world.chat.newCommunities(205, "bob");
      await Promise.all(crowd.map(openChannel));
    });

    it.each([3, 20])(
      "takes at most 6 + 2N calls if all N = %i of the user's channels already exist",
      async (count) => {
        const name = await world.chat.newAccount();
        const own = await world.chat.newCommunities(count, name);
        for (const community of own) await openChannel(community);
        world.chat.proxy.forget();
        const { body } = await bootstrap(name);
        expect(world.chat.calls().length).toBeLessThanOrEqual(6 + 2 * count);
        for (const community of own)
          expect(await world.chat.isMember((await world.chat.channelNamed(community)).id, body.userId)).toBe(
            true,
          );
      },
    );

    it.each([1, 3, 20])(
      "takes at most 6 + 2N calls for a returning user whose token was lost, with N = %i new communities",
      async (count) => {
        const name = await world.chat.newAccount();
        await bootstrap(name);
        await world.restart();
        await world.chat.newCommunities(count, name);
        world.chat.proxy.forget();
        expect((await bootstrap(name)).status).toBe(200);
        expect(world.chat.calls().length).toBeLessThanOrEqual(6 + 2 * count);
      },
    );
  });

  it("takes at most 6 + 2N calls when some of the N channels exist, some are archived and some are new", async () => {
    const name = await world.chat.newAccount();
    const names = await world.chat.newCommunities(9, name);
    for (const community of names.slice(0, 6)) await openChannel(community);
    for (const community of names.slice(0, 3))
      await world.chat.ask("DELETE", `/channels/${(await world.chat.channelNamed(community)).id}`);
    world.chat.proxy.forget();
    const { body } = await bootstrap(name);
    expect(world.chat.calls().length).toBeLessThanOrEqual(6 + 2 * 9);
    for (const community of names.slice(3))
      expect(await world.chat.isMember((await world.chat.channelNamed(community)).id, body.userId)).toBe(
        true,
      );
  });

  it("finds the channels one by one when Mattermost refuses the search", async () => {
    const name = await world.chat.newAccount();
    const names = await world.chat.newCommunities(4, name);
    for (const community of names.slice(0, 2)) await openChannel(community);
    world.chat.proxy.treat(({ method, path }) =>
      method === "POST" && path === "/channels/search"
        ? { status: 403, text: JSON.stringify({ id: "api.context.permissions.app_error", status_code: 403 }) }
        : "pass",
    );
    const { status, body } = await bootstrap(name);
    expect(status).toBe(200);
    for (const community of names)
      expect(await world.chat.isMember((await world.chat.channelNamed(community)).id, body.userId)).toBe(
        true,
      );
  });

  it("restores the team membership of a removed user whose token was lost", async () => {
    const name = await world.chat.newAccount();
    const { body } = await bootstrap(name);
    await world.chat.ask("DELETE", `/teams/${world.chat.teamId}/members/${body.userId}`);
    await world.restart();
    world.chat.proxy.forget();
    expect((await bootstrap(name)).status).toBe(200);
    expect(world.chat.calls().length).toBeLessThanOrEqual(6);
    expect(
      (await world.chat.ask("GET", `/teams/${world.chat.teamId}/members/${body.userId}`)).body.delete_at,
    ).toBe(0);
  });

  it("creates one user and one token for 20 simultaneous calls of one account", async () => {
    const name = await world.chat.newAccount();
    await world.chat.newCommunities(3, name);
    const answers = await Promise.all(Array.from({ length: 20 }, () => bootstrap(name)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(new Set(answers.map(({ body }) => body.token)).size).toBe(1);
    expect(callsOf(/^POST \/users$/)).toHaveLength(1);
    expect(callsOf(/^POST \/users\/\w+\/tokens$/)).toHaveLength(1);
    expect(world.chat.calls().length).toBeLessThanOrEqual(6 + 2 * 3);
  });

  it("creates one user and one token for simultaneous calls that ask for different communities", async () => {
    const name = await world.chat.newAccount();
    const names = await world.chat.newCommunities(4, name);
    const answers = await Promise.all(
      [undefined, ...names].map((community) => bootstrap(name, { community })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200));
    expect(new Set(answers.map(({ body }) => body.token)).size).toBe(1);
    expect(callsOf(/^POST \/users$/)).toHaveLength(1);
    expect(callsOf(/^POST \/users\/\w+\/tokens$/)).toHaveLength(1);
    expect(callsOf(/^POST \/channels$/)).toHaveLength(4);
  });

  it("creates one channel per community even if another call reads an outdated list of channels", async () => {
    const name = await world.chat.newAccount();
    const names = await world.chat.newCommunities(4, name);
    let made = 0;
    world.chat.proxy.treat(({ method, path }) => {
      if (path === "/channels/search") return { status: 200, text: '{"channels":[],"total_count":0}' };
      if (path === "/users/me") return { delayMs: 200 };
      return method === "POST" && path === "/channels" && made++ > 0 ? { delayMs: 400 } : "pass";
    });
    const answers = await Promise.all(
      [undefined, names[0]].map((community) => bootstrap(name, { community })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(callsOf(/^POST \/channels$/)).toHaveLength(4);
  });
});
