import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Chat, requestBootstrap, startChat } from "../../harness/start-chat.ts";
import { type Gateway, startGateway } from "../../harness/start-gateway.ts";

describe("bootstrap costs Mattermost", () => {
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
  const openChannel = (name: string) =>
    chat.ask("POST", "/channels", { team_id: chat.teamId, name, display_name: name, type: "O" });
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
    await openChannel(community);
    await bootstrap(name);
    chat.proxy.forget();
    expect((await bootstrap(name, { community })).status).toBe(200);
    expect(chat.calls().length).toBeLessThanOrEqual(4);
  });

  it("at most 4 calls when warm, for a member of communities whose channels are archived", async () => {
    const name = await chat.newAccount();
    for (const community of await chat.newCommunities(10, name)) {
      const { body } = await openChannel(community);
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
      await openChannel(community);
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

  describe("in a team with more channels than one page of a list holds", () => {
    let crowd: string[];

    beforeAll(async () => {
      crowd = await chat.newCommunities(205, "bob");
      await Promise.all(crowd.map(openChannel));
    });

    it.each([3, 20])("at most 6 + 2N calls when the N = %i channels are there already", async (count) => {
      const name = await chat.newAccount();
      const own = await chat.newCommunities(count, name);
      for (const community of own) await openChannel(community);
      chat.proxy.forget();
      const { body } = await bootstrap(name);
      expect(chat.calls().length).toBeLessThanOrEqual(6 + 2 * count);
      for (const community of own)
        expect(await chat.isMember((await chat.channelNamed(community)).id, body.userId)).toBe(true);
    });

    it.each([1, 3, 20])(
      "at most 6 + 2N calls for a known user whose token was lost, with N = %i new communities",
      async (count) => {
        const name = await chat.newAccount();
        await bootstrap(name);
        await restart();
        await chat.newCommunities(count, name);
        chat.proxy.forget();
        expect((await bootstrap(name)).status).toBe(200);
        expect(chat.calls().length).toBeLessThanOrEqual(6 + 2 * count);
      },
    );
  });

  it("at most 6 + 2N calls when some channels are there, some are archived and some are new", async () => {
    const name = await chat.newAccount();
    const names = await chat.newCommunities(9, name);
    for (const community of names.slice(0, 6)) await openChannel(community);
    for (const community of names.slice(0, 3))
      await chat.ask("DELETE", `/channels/${(await chat.channelNamed(community)).id}`);
    chat.proxy.forget();
    const { body } = await bootstrap(name);
    expect(chat.calls().length).toBeLessThanOrEqual(6 + 2 * 9);
    for (const community of names.slice(3))
      expect(await chat.isMember((await chat.channelNamed(community)).id, body.userId)).toBe(true);
  });

  it("no search when Mattermost refuses it: the channels are found one by one", async () => {
    const name = await chat.newAccount();
    const names = await chat.newCommunities(4, name);
    for (const community of names.slice(0, 2)) await openChannel(community);
    chat.proxy.treat(({ method, path }) =>
      method === "POST" && path === "/channels/search"
        ? { status: 403, text: JSON.stringify({ id: "api.context.permissions.app_error", status_code: 403 }) }
        : "pass",
    );
    const { status, body } = await bootstrap(name);
    expect(status).toBe(200);
    for (const community of names)
      expect(await chat.isMember((await chat.channelNamed(community)).id, body.userId)).toBe(true);
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
