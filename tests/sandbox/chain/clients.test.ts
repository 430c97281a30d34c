import dhive from "@hiveio/dhive";
import { config, PrivateKey, Transaction } from "hive-tx";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SandboxChain, startSandboxChain } from "../../harness/start-sandbox-chain.ts";

const MAINNET = `beeab0de${"0".repeat(56)}`;
const keyOf = (name: string, role: dhive.KeyRole) => dhive.PrivateKey.fromLogin(name, "sandbox", role);
const transfer = (memo: string) => ({ from: "alice", to: "bob", amount: "0.050 HBD", memo });

describe("dhive", () => {
  let chain: SandboxChain;
  let client: dhive.Client;
  beforeAll(async () => {
    chain = await startSandboxChain();
    client = new dhive.Client(chain.url, { chainId: chain.chainId, timeout: 5000 });
  });
  afterAll(() => chain.close());

  test("sends a transfer, and follows it through its stages", async () => {
    const { id } = await client.broadcast.transfer(transfer("dhive"), keyOf("alice", "active"));
    expect(await client.transaction.findTransaction(id)).toEqual({ status: "within_mempool" });
    await chain.produceBlocks(2);
    expect(await client.transaction.findTransaction(id)).toMatchObject({
      status: "within_irreversible_block",
    });
    expect((await client.database.getTransaction(id)) as unknown).toMatchObject({
      transaction_id: id,
      operations: [["transfer", transfer("dhive")]],
    });
  });

  test("reads accounts, resources, keys, versions, blocks and communities", async () => {
    const [alice, bob] = await client.database.getAccounts(["alice", "bob", "nobody-x"]);
    expect(alice?.posting.key_auths[0]?.[0]).toBe(keyOf("alice", "posting").createPublic().toString());
    expect(bob?.name).toBe("bob");
    const [resources] = await client.rc.findRCAccounts(["alice"]);
    expect(Number(resources?.max_rc)).toBeGreaterThan(1_000_000_000);
    const key = keyOf("alice", "active").createPublic();
    expect(await client.keys.getKeyReferences([key])).toEqual({ accounts: [["alice"]] });
    expect((await client.database.getVersion()) as unknown).toMatchObject({ chain_id: chain.chainId });
    expect(await client.database.getConfig()).toMatchObject({ HIVE_CHAIN_ID: chain.chainId });
    expect((await client.database.getBlock(1)).block_id).toMatch(/^00000001[0-9a-f]{32}$/);
    const community = await client.hivemind.getCommunity({ name: "hive-100001", observer: "bob" });
    expect(community).toMatchObject({
      title: "Photography",
      subscribers: 3,
      context: { role: "guest", subscribed: true },
      team: [
        ["alice", "owner", ""],
        ["carol", "mod", ""],
      ],
    });
    expect((await client.hivemind.listAllSubscriptions({ account: "erin" })) as unknown).toEqual([
      ["hive-100002", "Hive Developers", "guest", ""],
    ]);
  });

  test("verifies an authority", async () => {
    const properties = await client.database.getDynamicGlobalProperties();
    const transaction: dhive.Transaction = {
      ref_block_num: properties.head_block_number & 0xffff,
      ref_block_prefix: Buffer.from(properties.head_block_id, "hex").readUInt32LE(4),
      expiration: new Date(Date.now() + 60_000).toISOString().slice(0, 19),
      operations: [["transfer", transfer("verify")]],
      extensions: [],
    };
    const signed = client.broadcast.sign(transaction, keyOf("alice", "active"));
    expect(await client.database.verifyAuthority(signed)).toBe(true);
    const forged = client.broadcast.sign(transaction, keyOf("alice", "owner"));
    await expect(client.database.verifyAuthority(forged)).rejects.toThrow("Missing Active Authority alice");
  });

  test("sees a key change as soon as it is accepted", async () => {
    const posting = dhive.PrivateKey.fromSeed("erin's new key");
    const [erin] = await client.database.getAccounts(["erin"]);
    if (!erin) throw new Error("no erin");
    await client.broadcast.updateAccount(
      {
        account: "erin",
        memo_key: erin.memo_key,
        json_metadata: "",
        posting: dhive.Authority.from({
          weight_threshold: 1,
          account_auths: [],
          key_auths: [[posting.createPublic(), 1]],
        }),
      },
      keyOf("erin", "active"),
    );
    const follow = { id: "follow", json: "[]", required_auths: [], required_posting_auths: ["erin"] };
    await expect(client.broadcast.json(follow, keyOf("erin", "posting"))).rejects.toThrow(
      "Missing Posting Authority",
    );
    await client.broadcast.json(follow, posting);
    await chain.produceBlocks();
    const [after] = await client.database.getAccounts(["erin"]);
    expect(after?.posting.key_auths).toEqual([[posting.createPublic().toString(), 1]]);
    expect(after?.last_account_update).not.toBe("1970-01-01T00:00:00");
  });

  test("requires only the posting key for account_update2 with profile data", async () => {
    const json = JSON.stringify({ profile: { name: "Bob" } });
    const operation: dhive.Operation = [
      "account_update2",
      { account: "bob", json_metadata: "", posting_json_metadata: json, extensions: [] },
    ];
    await client.broadcast.sendOperations([operation], keyOf("bob", "posting"));
    await chain.produceBlocks();
    expect(await client.call("bridge", "get_profile", { account: "bob" })).toMatchObject({
      metadata: { profile: { name: "Bob" } },
    });
  });

  test("gets the chain's message for a transfer to an unknown account", async () => {
    const sending = client.broadcast.transfer({ ...transfer(""), to: "nobody-x" }, keyOf("alice", "active"));
    await expect(sending).rejects.toThrow("Account nobody-x doesn't exist");
  });
});

describe("hive-tx on a chain with mainnet's id", () => {
  let chain: SandboxChain;
  beforeAll(async () => {
    chain = await startSandboxChain({ chainId: MAINNET, blockIntervalMs: 200 });
    config.nodes = [chain.url];
  });
  afterAll(() => chain.close());

  test("sends a transfer and follows it until it is irreversible", async () => {
    const transaction = new Transaction();
    await transaction.addOperation("transfer", transfer("hive-tx"));
    transaction.sign(PrivateKey.fromLogin("alice", "sandbox", "active"));
    const result = await transaction.broadcast(true);
    expect(result).toMatchObject({ tx_id: transaction.digest().txId, status: "within_irreversible_block" });
  });
});
