import { afterAll, afterEach, describe, expect, test } from "vitest";
import { formAccessToken, postingKey } from "../harness/form-access-token.ts";
import { requestBootstrap } from "../harness/start-chat.ts";
import { startChatWorld } from "../harness/start-chat-world.ts";
import { unique } from "../harness/unique.ts";

const world = await startChatWorld({ chainNodes: 3 });
const { chain, gateway } = world;
afterAll(() => world.close());
afterEach(async () => {
  for (const node of [0, 1, 2]) await chain.clearFaults(node);
});

const lie = (method: string, result: unknown, node = 0) =>
  chain.setFault({ kind: "lie", method, result }, node);
const keyed = (account: object, owner: string) => ({
  ...account,
  posting: {
    weight_threshold: 1,
    account_auths: [],
    key_auths: [[postingKey(owner).createPublic().toString(), 1]],
  },
});

describe("one lying chain node of three", () => {
  test.each([0, 1, 2])("cannot take over an account at bootstrap, as node %d", async (node) => {
    const name = unique("n");
    await chain.setAccount({ name });
    const found = (await chain.call("database_api.find_accounts", { accounts: [name] })) as {
      accounts: object[];
    };
    const result = { accounts: found.accounts.map((account) => keyed(account, "mallory")) };
    await lie("database_api.find_accounts", result, node);
    const stolen = formAccessToken(name, { key: postingKey("mallory") });
    expect((await requestBootstrap(gateway.url, name, { accessToken: stolen })).status).toBe(401);
    expect((await requestBootstrap(gateway.url, name)).status).toBe(200);
  });

  test("cannot lock anyone out by reporting no accounts", async () => {
    const name = unique("n");
    await chain.setAccount({ name });
    await lie("database_api.find_accounts", { accounts: [] });
    expect((await requestBootstrap(gateway.url, name)).status).toBe(200);
  });

  test("cannot appoint or dismiss a moderator", async () => {
    const alice = await world.login("alice", "hive-100001");
    const bob = await world.login("bob", "hive-100001");
    const carol = await world.login("carol", "hive-100001");
    const post = await alice.post(alice.channelId, "hers");
    const path = `/channels/${alice.channelId}/posts/${post.id}`;
    await lie("bridge.get_community_context", { role: "owner", subscribed: true, title: "" });
    expect((await bob.api("DELETE", path)).status).toBe(403);
    await chain.clearFaults();
    await lie("bridge.get_community_context", { role: "guest", subscribed: true, title: "" });
    expect((await carol.api("DELETE", path)).status).toBe(200);
  });

  test("cannot invent a community or its title", async () => {
    const name = `hive-2${String(Date.now()).slice(-6)}`;
    await lie("bridge.get_community", { name, title: "Official support" });
    expect((await requestBootstrap(gateway.url, "dave", { community: name })).status).toBe(404);
    await chain.setCommunity({ name, title: "Birds" });
    await lie("bridge.list_all_subscriptions", [[name, "Official support", "guest", ""]]);
    const { status, body } = await requestBootstrap(gateway.url, "dave", { community: name });
    expect(status).toBe(200);
    expect(await world.admin("GET", `/channels/${body.channelId}`)).toMatchObject({ display_name: "Birds" });
  });

  test("cannot create a chat user for a non-existent account", async () => {
    const erin = await world.login("erin");
    const name = unique("n");
    const found = (await chain.call("database_api.find_accounts", { accounts: ["erin"] })) as {
      accounts: object[];
    };
    await lie("database_api.find_accounts", { accounts: found.accounts.map((one) => ({ ...one, name })) });
    expect((await erin.api("POST", "/direct", { username: name })).status).toBe(404);
  });
});

describe("while only one of the chain's nodes answers", () => {
  test("authors can delete messages, and moderators can't", async () => {
    const owner = await world.login("alice", "hive-100003");
    const carol = await world.login("carol", "hive-100003");
    const [hers, own] = [
      await owner.post(owner.channelId, "hers"),
      await owner.post(owner.channelId, "hers too"),
    ];
    for (const node of [1, 2]) await chain.setFault({ kind: "cut" }, node);
    expect((await carol.api("DELETE", `/channels/${owner.channelId}/posts/${hers.id}`)).status).toBe(403);
    expect((await owner.api("DELETE", `/channels/${owner.channelId}/posts/${own.id}`)).status).toBe(200);
    for (const node of [1, 2]) await chain.clearFaults(node);
  });
});
