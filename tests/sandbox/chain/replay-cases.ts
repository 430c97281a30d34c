import { expect } from "vitest";
import type { Authority } from "../../../lib/hive/authority.ts";
import type { Operation } from "../../../lib/hive/transaction.ts";
import { secretOf, transferOf } from "../../harness/sign-transaction.ts";
import { soon } from "../../harness/soon.ts";
import { active, type Case, publicKey, type Stage } from "./replay-stage.ts";
import { amountCases, memoCases, signatureFormCases } from "./replay-text-cases.ts";

type Signed = Awaited<ReturnType<Stage["sign"]>>;

const one = (key: string, accounts: [string, number][] = []): Authority => ({
  weight_threshold: 1,
  account_auths: accounts,
  key_auths: [[key, 1]],
});

function create(name: string, activeAuthority = one(publicKey(name))): Operation {
  return {
    type: "account_create",
    fee: { amount: 0n, symbol: "HIVE" },
    creator: "initminer",
    new_account_name: name,
    owner: one(publicKey(name, "owner")),
    active: activeAuthority,
    posting: one(publicKey(name, "posting")),
    memo_key: publicKey(name, "memo"),
    json_metadata: "",
  };
}

const twoKeys = {
  weight_threshold: 2,
  account_auths: [],
  key_auths: [publicKey("msig-a"), publicKey("msig-b")].map((key) => [key, 1] as [string, number]),
};

/**
 * Returns the questions behind the recorded answers in order: later ones depend on the effects of earlier
 * ones.
 */
export function replayCases(stage: Stage): Case[] {
  const { ask, send, sign, broadcast, pay } = stage;
  const initminer = { keys: [active("initminer")] };
  const status = (transaction_id: string, expiration?: number) =>
    ask("transaction_status_api.find_transaction", {
      transaction_id,
      ...(expiration && { expiration: new Date(expiration * 1000).toISOString().slice(0, 19) }),
    });
  let first: Signed;
  let late: Signed;

  const reading: Case[] = [
    ["get_version", () => ask("database_api.get_version", {})],
    ["condenser get_version", () => ask("condenser_api.get_version", [])],
    ["dgpo", () => ask("condenser_api.get_dynamic_global_properties", [])],
    ["dgpo appbase", () => ask("database_api.get_dynamic_global_properties", {})],
    ["hardfork", () => ask("condenser_api.get_hardfork_version", [])],
    ["chain_properties", () => ask("condenser_api.get_chain_properties", [])],
  ];

  const people: Case[] = [
    [
      "create accounts",
      async () => {
        await send(
          ["alice", "bob", "carol"].map((name) => create(name)),
          initminer,
        );
        return send(
          [create("msig", twoKeys), create("deleg", one(publicKey("deleg"), [["carol", 1]]))],
          initminer,
        );
      },
    ],
    [
      "fund",
      () =>
        send(
          ["alice", "carol", "msig", "deleg"].map((to) => transferOf("initminer", to, 100_000)),
          initminer,
        ),
    ],
    ["get_accounts", () => ask("condenser_api.get_accounts", [["alice", "bob"]])],
    ["find_accounts", () => ask("database_api.find_accounts", { accounts: ["alice"] })],
    [
      "get_accounts order",
      async () => {
        const names = ["bob", "alice", "nobody-x", "bob", "Ill Formed"];
        const { result } = await ask("condenser_api.get_accounts", [names]);
        return { result: (result as { name: string }[]).map(({ name }) => name) };
      },
    ],
    ["rc", () => ask("rc_api.find_rc_accounts", { accounts: ["alice"] })],
  ];

  const life: Case[] = [
    [
      "verify_authority condenser",
      async () => {
        first = await sign([transferOf("alice", "bob", 50, "x402:1")]);
        return ask("condenser_api.verify_authority", [first.json]);
      },
    ],
    [
      "verify_authority db legacy",
      () => ask("database_api.verify_authority", { trx: first.json, pack: "legacy" }),
    ],
    ["verify_authority db default", () => ask("database_api.verify_authority", { trx: first.json })],
    ["find_tx before", () => status(first.id, first.expiration)],
    ["broadcast ok", () => broadcast(first.json)],
    ["find_tx mempool", () => status(first.id, first.expiration)],
    ["duplicate in mempool", () => broadcast(first.json)],
    ["get_transaction in mempool", () => ask("condenser_api.get_transaction", [first.id])],
    [
      "find_tx block",
      async () => {
        await stage.produceBlocks();
        return status(first.id, first.expiration);
      },
    ],
    ["duplicate in block", () => broadcast(first.json)],
    [
      "duplicate via network_broadcast",
      () => ask("network_broadcast_api.broadcast_transaction", { trx: first.json, max_block_age: -1 }),
    ],
    ["find_tx later", () => status(first.id, first.expiration)],
    ["find_tx no expiration", () => status(first.id)],
    ["get_transaction", () => ask("condenser_api.get_transaction", [first.id])],
    [
      "ah get_transaction",
      () => ask("account_history_api.get_transaction", { id: first.id, include_reversible: true }),
    ],
    ["get_transaction unknown", () => ask("condenser_api.get_transaction", ["0".repeat(40)])],
    ["find_tx bad id", () => status("zz")],
  ];

  const signers: Case[] = [
    ["wrong key", () => pay("wrong key", { keys: [active("bob")] })],
    ["posting key", () => pay("posting key", { keys: [secretOf("alice", "posting")] })],
    ["OWNER key for active op (HF28)", () => pay("owner key", { keys: [secretOf("alice", "owner")] })],
    ["no signature", () => pay("no signature", { keys: [] })],
    ["redundant signature", () => pay("redundant", { keys: [active("alice"), active("bob")] })],
    ["same signature twice", () => pay("twice", { keys: [active("alice"), active("alice")] })],
    ["msig one key", () => send([transferOf("msig", "bob", 50)], { keys: [active("msig-a")] })],
    [
      "msig two keys",
      () => send([transferOf("msig", "bob", 50)], { keys: [active("msig-a"), active("msig-b")] }),
    ],
    ["account_auth delegate", () => send([transferOf("deleg", "bob", 52)], { keys: [active("carol")] })],
    [
      "account_auth delegate owner",
      () => send([transferOf("deleg", "bob", 53)], { keys: [secretOf("carol", "owner")] }),
    ],
  ];

  const headTime = async () => {
    const { result } = await ask("condenser_api.get_dynamic_global_properties", []);
    return Date.parse(`${(result as { time: string }).time}Z`) / 1000;
  };
  const payAt = async (seconds: number) =>
    pay(`expires after ${seconds}`, { header: { expiration: (await headTime()) + seconds } });

  const headers: Case[] = [
    ["exp past", () => payAt(-10)],
    ["exp 24h", () => payAt(86_400)],
    ["exp 24h+60", () => payAt(86_460)],
    ["bad tapos prefix", () => pay("tapos prefix", { header: { refBlockPrefix: 1 } })],
    ["bad tapos num", () => pay("tapos num", { header: { refBlockNum: 65_000 } })],
    ["no funds", () => send([transferOf("bob", "alice", 1_000_000)], { keys: [active("bob")] })],
    ["zero amount", () => send([transferOf("alice", "bob", 0)])],
    ["unknown to", () => send([transferOf("alice", "nobody-x", 1)])],
    ["unknown from", () => send([transferOf("nobody-x", "alice", 1)], { keys: [active("nobody-x")] })],
    ["invalid name", () => send([transferOf("alice", "A", 1)])],
    ["self transfer", () => send([transferOf("alice", "alice", 1)])],
  ];

  let modern: Signed;
  const packings: Case[] = [
    [
      "hf26-signed via network_broadcast (nai json)",
      async () => {
        modern = await sign([transferOf("alice", "bob", 1, "hf26")], { packing: "hf26", form: "nai" });
        return ask("network_broadcast_api.broadcast_transaction", { trx: modern.json, max_block_age: -1 });
      },
    ],
    ["  find by hf26 id", () => status(modern.id)],
    ["  find by legacy id", () => status(modern.otherId)],
    [
      "  verify_authority pack hf26",
      () => ask("database_api.verify_authority", { trx: modern.json, pack: "hf26" }),
    ],
    [
      "  verify_authority pack legacy",
      () => ask("database_api.verify_authority", { trx: modern.json, pack: "legacy" }),
    ],
    [
      "same hf26-signed tx as legacy json via condenser",
      async () => broadcast((await sign([transferOf("alice", "bob", 1, "hf26")], { packing: "hf26" })).json),
    ],
    [
      "same content signed LEGACY after hf26 one (double spend of one content?)",
      () => send([transferOf("alice", "bob", 1, "hf26")]),
    ],
    [
      "legacy json via network_broadcast",
      async () => {
        const { json } = await sign([transferOf("alice", "bob", 1, "legacy via network")]);
        return ask("network_broadcast_api.broadcast_transaction", { trx: json, max_block_age: -1 });
      },
    ],
    [
      "synchronous",
      async () => {
        const { id, json } = await sign([transferOf("alice", "bob", 1, "sync")]);
        const answer = ask("condenser_api.broadcast_transaction_synchronous", [json]);
        const isKnown = async () => expect((await status(id)).result).toEqual({ status: "within_mempool" });
        await soon(isKnown);
        await stage.produceBlocks();
        return answer;
      },
    ],
    ["network_broadcast sync", () => ask("network_broadcast_api.broadcast_transaction_synchronous", {})],
  ];

  const expiry: Case[] = [
    [
      "sent after expiry",
      async () => {
        late = await sign([transferOf("carol", "bob", 1, "short")], { keys: [active("carol")] });
        await stage.advanceTime(120);
        await stage.produceBlocks();
        return broadcast(late.json);
      },
    ],
    ["find expired never sent", () => status(late.id, late.expiration)],
    ["find expired later", () => status(late.id, late.expiration)],
  ];

  return [
    ...reading,
    ...people,
    ...life,
    ...signers,
    ...headers,
    ...amountCases(stage),
    ...memoCases(stage),
    ...signatureFormCases(stage),
    ...packings,
    ...expiry,
  ];
}
