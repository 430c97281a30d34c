import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Chat, requestBootstrap, startChat } from "../../harness/start-chat.ts";
import { type Gateway, startGateway } from "../../harness/start-gateway.ts";

describe("bootstrap costs the backend", () => {
  let chat: Chat;
  let gateway: Gateway;

  beforeAll(async () => {
    chat = await startChat();
  });
  afterAll(() => chat.close());
  beforeEach(async () => {
    gateway = await startGateway({ settings: chat.settings });
    chat.proxy.forget();
  });
  afterEach(async () => {
    chat.proxy.treat(() => "pass");
    await gateway.close();
  });

  const bootstrap = (username: string, more?: Record<string, unknown>) =>
    requestBootstrap(gateway.url, username, more);
  const restart = async () => {
    await gateway.close();
    gateway = await startGateway({ settings: chat.settings });
  };
  const callsOf = (shape: RegExp) => chat.calls().filter((call) => shape.test(call));

  it("at most 4 calls when warm, however many communities there are", async () => {
    const name = await chat.newAccount();
    const names = await chat.newCommunities(25, name);
    await bootstrap(name);
    for (const community of [undefined, names[7]]) {
      chat.proxy.forget();
      expect((await bootstrap(name, { community })).status).toBe(200);
      expect(chat.calls().length).toBeLessThanOrEqual(4);
    }
  });

  it("at most 4 calls when warm, for one more community whose channel is there", async () => {
    const name = await chat.newAccount();
    await chat.newCommunities(5, name);
    const [community = ""] = await chat.newCommunities(1, "bob");
    const channel = { team_id: chat.teamId, name: community, display_name: community, type: "O" };
    await chat.ask("POST", "/channels", channel);
    await bootstrap(name);
    chat.proxy.forget();
    expect((await bootstrap(name, { community })).status).toBe(200);
    expect(chat.calls().length).toBeLessThanOrEqual(4);
  });

  it("at most 4 calls when warm, for a member of communities whose channels are archived", async () => {
    const name = await chat.newAccount();
    for (const community of await chat.newCommunities(10, name)) {
      const channel = { team_id: chat.teamId, name: community, display_name: community, type: "O" };
      const { body } = await chat.ask("POST", "/channels", channel);
      await chat.ask("DELETE", `/channels/${body.id}`);
    }
    expect((await bootstrap(name)).status).toBe(200);
    chat.proxy.forget();
    expect((await bootstrap(name)).status).toBe(200);
    expect(chat.calls().length).toBeLessThanOrEqual(4);
  });

  it.each([0, 1, 2, 3, 20])(
    "at most 6 + 2N calls for a new user with N = %i communities nobody was in, at most 8 at once",
    async (count) => {
      const name = await chat.newAccount();
      const names = await chat.newCommunities(count, name);
      chat.proxy.treat(() => ({ delayMs: 5 }));
      const { status, body } = await bootstrap(name);
      expect(status).toBe(200);
      expect(chat.calls().length).toBeLessThanOrEqual(6 + 2 * count);
      expect(chat.proxy.mostAtOnce()).toBeLessThanOrEqual(8);
      for (const community of names)
        expect(await chat.isMember((await chat.channelNamed(community)).id, body.userId)).toBe(true);
    },
  );

  it.each([1, 2, 3, 20])("at most 6 + 2N calls when the %i channels are there already", async (count) => {
    const name = await chat.newAccount();
    for (const community of await chat.newCommunities(count, name)) {
      const channel = { team_id: chat.teamId, name: community, display_name: community, type: "O" };
      await chat.ask("POST", "/channels", channel);
    }
    expect((await bootstrap(name)).status).toBe(200);
    expect(chat.calls().length).toBeLessThanOrEqual(6 + 2 * count);
  });

  it("at most 6 + 2N calls for a known user whose token was lost", async () => {
    const name = await chat.newAccount();
    await bootstrap(name);
    await restart();
    await chat.newCommunities(4, name);
    chat.proxy.forget();
    expect((await bootstrap(name)).status).toBe(200);
    expect(chat.calls().length).toBeLessThanOrEqual(6 + 2 * 4);
  });

  describe("in a team with more public channels than one would list", () => {
    /** As if each page were full of the channels of others. */
    const playLargeTeam = () => {
      let page = 0;
      chat.proxy.treat(({ method, path }) => {
        if (method !== "GET" || path !== `/teams/${chat.teamId}/channels`) return "pass";
        page += 1;
        const channels = Array.from({ length: 200 }, (_, index) => ({
          id: `p${page}n${index}`.padEnd(26, "0"),
          name: `crowd-${page}-${index}`,
          display_name: "Crowd",
          type: "O",
          team_id: chat.teamId,
          create_at: 1,
        }));
        return { status: 200, text: JSON.stringify(channels) };
      });
    };

    it.each([3, 20])("at most 6 + 2N calls for a new user with N = %i new communities", async (count) => {
      const name = await chat.newAccount();
      const names = await chat.newCommunities(count, name);
      playLargeTeam();
      const { status, body } = await bootstrap(name);
      expect(status).toBe(200);
      expect(chat.calls().length).toBeLessThanOrEqual(6 + 2 * count);
      for (const community of names)
        expect(await chat.isMember((await chat.channelNamed(community)).id, body.userId)).toBe(true);
    });

    it.each([1, 3, 20])(
      "at most 6 + 2N calls for a known user whose token was lost, with N = %i new communities",
      async (count) => {
        const name = await chat.newAccount();
        await bootstrap(name);
        await restart();
        await chat.newCommunities(count, name);
        playLargeTeam();
        chat.proxy.forget();
        expect((await bootstrap(name)).status).toBe(200);
        expect(chat.calls().length).toBeLessThanOrEqual(6 + 2 * count);
      },
    );

    it("finds the channels that the list does not show", async () => {
      const name = await chat.newAccount();
      const names = await chat.newCommunities(3, name);
      const ids: unknown[] = [];
      for (const community of names) {
        const channel = { team_id: chat.teamId, name: community, display_name: community, type: "O" };
        ids.push((await chat.ask("POST", "/channels", channel)).body.id);
      }
      playLargeTeam();
      const { body } = await bootstrap(name);
      for (const id of ids) expect(await chat.isMember(id, body.userId)).toBe(true);
    });
  });

  it("a user who was put out of the team and whose token was lost is put into it again", async () => {
    const name = await chat.newAccount();
    const { body } = await bootstrap(name);
    await chat.ask("DELETE", `/teams/${chat.teamId}/members/${body.userId}`);
    await restart();
    chat.proxy.forget();
    expect((await bootstrap(name)).status).toBe(200);
    expect(chat.calls().length).toBeLessThanOrEqual(6);
    expect((await chat.ask("GET", `/teams/${chat.teamId}/members/${body.userId}`)).body.delete_at).toBe(0);
  });

  it("the work once for 20 calls of one user at a time", async () => {
    const name = await chat.newAccount();
    await chat.newCommunities(3, name);
    const answers = await Promise.all(Array.from({ length: 20 }, () => bootstrap(name)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(new Set(answers.map(({ body }) => body.token)).size).toBe(1);
    expect(callsOf(/^POST \/users$/)).toHaveLength(1);
    expect(callsOf(/^POST \/users\/\w+\/tokens$/)).toHaveLength(1);
    expect(chat.calls().length).toBeLessThanOrEqual(6 + 2 * 3);
  });

  it("one user and one token for calls at a time that ask for different communities", async () => {
    const name = await chat.newAccount();
    const names = await chat.newCommunities(4, name);
    const answers = await Promise.all(
      [undefined, ...names].map((community) => bootstrap(name, { community })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200));
    expect(new Set(answers.map(({ body }) => body.token)).size).toBe(1);
    expect(callsOf(/^POST \/users$/)).toHaveLength(1);
    expect(callsOf(/^POST \/users\/\w+\/tokens$/)).toHaveLength(1);
    expect(callsOf(/^POST \/channels$/)).toHaveLength(4);
  });
});
