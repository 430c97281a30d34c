import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { secretOf, signTransaction } from "../../harness/sign-transaction.ts";
import { callRpc, type SandboxChain, startSandboxChain } from "../../harness/start-sandbox-chain.ts";

let chain: SandboxChain;
beforeEach(async () => {
  chain = await startSandboxChain();
});
afterEach(() => chain.close());

async function act(account: string, action: string, fields: Record<string, unknown>, id = "community") {
  const operation = {
    type: "custom_json" as const,
    required_auths: [],
    required_posting_auths: [account],
    id,
    json: JSON.stringify([action, fields]),
  };
  const { json } = await signTransaction(chain, [operation], { keys: [secretOf(account, "posting")] });
  await chain.call("condenser_api.broadcast_transaction", [json]);
  await chain.produceBlocks();
}
const photography = { community: "hive-100001" };
const contextOf = (account: string, name = "hive-100001") =>
  chain.call("bridge.get_community_context", { name, account });
const getCommunity = (name = "hive-100001") => chain.call("bridge.get_community", { name, observer: "" });

test("the sandbox starts with three communities", async () => {
  expect(await getCommunity()).toMatchObject({
    name: "hive-100001",
    title: "Photography",
    type_id: 1,
    subscribers: 3,
    context: {},
    team: [
      ["alice", "owner", ""],
      ["carol", "mod", ""],
    ],
  });
  expect(await getCommunity("hive-100002")).toMatchObject({ title: "Hive Developers", subscribers: 4 });
  expect(await getCommunity("hive-100003")).toMatchObject({ title: "Quiet Corner", subscribers: 0 });
  expect(await chain.call("bridge.list_all_subscriptions", { account: "alice" })).toEqual([
    ["hive-100001", "Photography", "owner", ""],
    ["hive-100002", "Hive Developers", "admin", ""],
  ]);
  expect(await chain.call("bridge.list_all_subscriptions", { account: "dave" })).toEqual([]);
});

test("subscribing twice counts once, and unsubscribing ends the subscription", async () => {
  await act("dave", "subscribe", photography);
  await act("dave", "subscribe", photography);
  expect(await contextOf("dave")).toEqual({ role: "guest", subscribed: true, title: "" });
  expect(await getCommunity()).toMatchObject({ subscribers: 4 });
  const subscribers = (await chain.call("bridge.list_subscribers", {
    community: "hive-100001",
  })) as string[][];
  expect(subscribers.map(([name]) => name)).toEqual(["dave", "carol", "bob", "alice"]);
  await act("dave", "unsubscribe", photography);
  expect(await contextOf("dave")).toMatchObject({ subscribed: false });
});

describe("roles", () => {
  test("let an owner appoint admins, and a mod appoint and title members", async () => {
    await act("alice", "setRole", { ...photography, account: "bob", role: "admin" });
    await act("carol", "setRole", { ...photography, account: "erin", role: "member" });
    await act("carol", "setUserTitle", { ...photography, account: "erin", title: "Best pictures" });
    expect(await contextOf("erin")).toEqual({ role: "member", subscribed: false, title: "Best pictures" });
    expect(await chain.call("bridge.list_community_roles", { community: "hive-100001", limit: 3 })).toEqual([
      ["alice", "owner", ""],
      ["bob", "admin", ""],
      ["carol", "mod", ""],
    ]);
    expect(
      await chain.call("bridge.list_community_roles", { community: "hive-100001", last: "carol" }),
    ).toEqual([["erin", "member", "Best pictures"]]);
  });

  test.each([
    ["a guest", "dave", "erin", "muted"],
    ["a mod who appoints a mod", "carol", "dave", "mod"],
    ["a mod who mutes an admin", "carol", "bob", "muted"],
    ["an admin who grants an unknown role", "bob", "dave", "king"],
    ["an owner who appoints an unknown account", "alice", "nobody-x", "mod"],
  ])("are not changed by %s", async (_, actor, account, role) => {
    await act("alice", "setRole", { ...photography, account: "bob", role: "admin" });
    const roles = () => chain.call("bridge.list_community_roles", { community: "hive-100001" });
    const before = await roles();
    await act(actor, "setRole", { ...photography, account, role });
    expect(await roles()).toEqual(before);
  });

  test("ignore names that every object has, both as roles and as actions", async () => {
    await act("carol", "setRole", { ...photography, account: "erin", role: "member" });
    await chain.setAccount({ name: "constructor" });
    await act("constructor", "constructor", photography);
    await act("constructor", "setRole", { ...photography, account: "erin", role: "muted" });
    expect(await contextOf("constructor")).toEqual({ role: "guest", subscribed: false, title: "" });
    expect(await contextOf("erin")).toMatchObject({ role: "member" });
  });
});

test("an owner can change the title, a mod can't", async () => {
  await act("carol", "updateProps", { ...photography, props: { title: "Mine" } });
  expect(await getCommunity()).toMatchObject({ title: "Photography" });
  await act("alice", "updateProps", { ...photography, props: { title: "Pictures", is_nsfw: false } });
  expect(await getCommunity()).toMatchObject({ title: "Pictures" });
});

test("other custom_json and unknown actions are accepted without effect", async () => {
  const before = await getCommunity();
  await act("dave", "subscribe", photography, "follow");
  await act("dave", "pinPost", { ...photography, account: "alice", permlink: "x" });
  await act("dave", "subscribe", { community: "hive-199999" });
  expect(await getCommunity()).toEqual(before);
});

test("a new account with a community's name becomes a community that it owns", async () => {
  const owner = { weight_threshold: 1, account_auths: [["alice", 1]] as [string, number][], key_auths: [] };
  const operation = {
    type: "account_create" as const,
    fee: { amount: 0n, symbol: "HIVE" as const },
    creator: "alice",
    new_account_name: "hive-123456",
    owner,
    active: owner,
    posting: owner,
    memo_key: (await import("../../../sandbox/accounts.ts")).deriveAccount("alice").keys.memo.publicKey,
    json_metadata: "",
  };
  const { json } = await signTransaction(chain, [operation], { keys: [secretOf("alice", "active")] });
  await chain.call("condenser_api.broadcast_transaction", [json]);
  await chain.produceBlocks();
  expect(await getCommunity("hive-123456")).toMatchObject({ team: [["hive-123456", "owner", ""]] });
});

test("communities are listed by size and found by words", async () => {
  const names = async (params: object) =>
    ((await chain.call("bridge.list_communities", params)) as { name: string }[]).map(({ name }) => name);
  expect(await names({ limit: 2 })).toEqual(["hive-100002", "hive-100001"]);
  expect(await names({ query: "quiet" })).toEqual(["hive-100003"]);
  expect(await names({ last: "hive-100001", limit: 1 })).toEqual(["hive-100003"]);
});

test.each([
  ["get_community", { name: "hive-199999" }, "Community hive-199999 does not exist"],
  ["get_community", { name: "photography" }, "given community name is not valid"],
  ["get_community", {}, "missing a required argument: 'name'"],
  ["get_community", ["hive-100001", "", "more"], "too many positional arguments"],
  ["get_community_context", { name: "hive-100001", account: "nobody-x" }, "Account nobody-x does not exist"],
  ["get_community_context", { name: "hive-100001", account: 5 }, "invalid account name type"],
])("bridge.%s %j is refused: %s", async (method, params, text) => {
  const { error } = await callRpc(chain.url, `bridge.${method}`, params);
  expect(error).toMatchObject({ code: -32602, message: `Assert Exception:${text}`, data: { code: 10 } });
});
