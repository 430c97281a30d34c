import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  isCommunityName,
  readCommunity,
  readCommunityRole,
  readSubscriptions,
} from "../../../lib/hive/bridge.ts";
import { createHiveClient, type HiveClient } from "../../../lib/hive/client.ts";
import { type SandboxChain, startSandboxChain } from "../../harness/start-sandbox-chain.ts";

describe("the chain's communities", () => {
  let chain: SandboxChain;
  let client: HiveClient;
  beforeAll(async () => {
    chain = await startSandboxChain();
    client = createHiveClient({ nodes: [chain.url], chainId: chain.chainId });
  });
  afterEach(() => chain.clearFaults());
  afterAll(async () => {
    await client.close();
    await chain.close();
  });

  it.each([
    ["hive-100001", true],
    ["hive-12345", true],
    ["hive-3999999", true],
    ["hive-1234", false],
    ["hive-12345678", false],
    ["hive-423456", false],
    ["Hive-123456", false],
    ["hive-123456\n", false],
    ["hive-12345a", false],
  ])("have ids in a fixed form, which %j has: %s", (text, isOne) => {
    expect(isCommunityName(text)).toBe(isOne);
  });

  it("are listed with their titles, for subscribers only", async () => {
    expect(await readSubscriptions(client, "erin")).toEqual([
      { name: "hive-100002", title: "Hive Developers" },
    ]);
    expect(await readSubscriptions(client, "dave")).toEqual([]);
    expect(await readSubscriptions(client, "nobody-there")).toEqual([]);
  });

  it("are listed once each, and invalid rows of a faulty node are omitted", async () => {
    const rows = [
      ["hive-100001", "Old", "guest", ""],
      ["town-square", "No community", "guest", ""],
      ["hive-100001", "New", "guest", ""],
    ];
    await chain.setFault({ kind: "lie", method: "bridge.list_all_subscriptions", result: rows });
    expect(await readSubscriptions(client, "alice")).toEqual([{ name: "hive-100001", title: "New" }]);
  });

  it("are read with their titles, and are null if they do not exist", async () => {
    expect(await readCommunity(client, "hive-100001")).toEqual({ name: "hive-100001", title: "Photography" });
    expect(await readCommunity(client, "hive-399999")).toBeNull();
  });

  it("are null when a node answers about another community", async () => {
    const other = { name: "hive-100002", title: "Hive Developers" };
    await chain.setFault({ kind: "lie", method: "bridge.get_community", result: other });
    expect(await readCommunity(client, "hive-100001")).toBeNull();
  });

  it.each([
    ["hive-100001", "alice", "owner"],
    ["hive-100001", "carol", "mod"],
    ["hive-100002", "alice", "admin"],
    ["hive-100001", "bob", "guest"],
    ["hive-100001", "dave", "guest"],
    ["hive-399999", "alice", "guest"],
  ])("have roles: in %s, %s is %s", async (community, account, role) => {
    expect(await readCommunityRole(client, community, account)).toBe(role);
  });

  it.each([
    ["cutting connections", { kind: "cut" }],
    ["failing", { kind: "answer", status: 502 }],
    ["talking nonsense", { kind: "lie", result: "nonsense" }],
    ["without an index", { kind: "refuse", error: { code: -32002, message: "Could not find API bridge" } }],
    ["without the method", { kind: "refuse", error: { code: -32601, message: "Method not found" } }],
    ["refusing", { kind: "refuse", error: { code: -32602, message: "Assert Exception:db is down" } }],
  ] as const)(
    "fail with chain_unavailable, instead of being empty, while the node is %s",
    async (_, fault) => {
      await chain.setFault({ ...fault, method: "bridge.*" });
      const unavailable = { code: "chain_unavailable", status: 503 };
      await expect(readSubscriptions(client, "alice")).rejects.toMatchObject(unavailable);
      await expect(readCommunity(client, "hive-100001")).rejects.toMatchObject(unavailable);
      await expect(readCommunityRole(client, "hive-100001", "alice")).rejects.toMatchObject(unavailable);
    },
  );
});
