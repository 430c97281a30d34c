import { MAINNET_CHAIN_ID } from "../../lib/chains.ts";
import { signingDigest } from "../../lib/hive/packing.ts";
import { recoverPublicKey } from "../../lib/hive/recover-key.ts";
import { readTransfer } from "../../lib/x402/transfer.ts";
import { accounts, accountsOf } from "./accounts.ts";
import { blockReply } from "./block-reply.ts";
import type { Answer, Server } from "./network.ts";
import { byzantineAnswer, type Dishonesty } from "./node-dishonesty.ts";
import { type Reply, refuse } from "./node-reply.ts";
import {
  type Block,
  blockAt,
  type ChainTransfer,
  findTransfer,
  isValidOn,
  type SimulatedChain,
  type View,
} from "./simulated-chain.ts";
import type { Stage } from "./simulated-process.ts";

/** A node's behaviour, apart from faults of its connections. */
export type NodeCharacter = {
  host: string;
  /** The lag of the node's view, and the time that each answer takes. */
  lagMs: number;
  delayMs: number;
  /** The period in which the node is down, in true time. */
  awayFrom: number;
  awayUntil: number;
  dishonesty: Dishonesty | null;
};

/** The context of one node's methods. */
export type NodeState = {
  view(): View;
  chain: SimulatedChain;
  /** Transactions that the node accepted and has not yet seen in a block. */
  mempool: Map<string, ChainTransfer>;
};

/**
 * Maximum time for which a gateway may withhold a transaction that it reported as an error, or a dishonest
 * node one that it refused.
 */
const LATE_MS = 10_000;
const UNKNOWN_METHOD: Reply = { error: { code: -32601, message: "Method not found" } };

/** Adds a node of the chain to the network. */
export function serveNode(stage: Stage, chain: SimulatedChain, character: NodeCharacter): void {
  const { scheduler, note } = stage;
  const { host, delayMs, lagMs, dishonesty } = character;
  const stream = stage.chance.stream(`${host}.node`);
  const state: NodeState = { chain, mempool: new Map(), view: () => chain.view(lagMs) };

  const broadcast = (input: unknown): Reply => {
    const transfer = identify(input);
    if (!transfer) return refuse("missing required active authority", 3010000);
    const { head } = state.view();
    const { id } = transfer;
    if (findTransfer(head, id) || state.mempool.has(id)) return refuse("Duplicate transaction check failed");
    if (transfer.transfer.expirationMs <= head.timeMs) return refuse("transaction expired", 4030100);
    const balances = new Map(head.balances);
    for (const { transfer: other } of state.mempool.values())
      balances.set(other.from, (balances.get(other.from) ?? 0) - other.amountMils);
    if (!isValidOn(head, transfer, balances)) return refuse("not valid on this chain");
    const fault = stream.deviate({ "forgets what it took": 0.02 });
    if (fault) note(`${host} forgets ${id.slice(0, 8)}`);
    if (fault) return { result: {} };
    state.mempool.set(id, transfer);
    chain.submit(transfer, stream.between(10, 900));
    return { result: {} };
  };

  const answer = (method: string, params: unknown): Reply => {
    sweep(state);
    const isBroadcast = /broadcast_transaction$/.test(method);
    const transaction = Array.isArray(params) ? params[0] : (params as { trx?: unknown } | undefined)?.trx;
    const id = isBroadcast ? identify(transaction)?.id : undefined;
    const late = id === undefined ? null : stream.deviate({ "its gateway errs and sends it on late": 0.12 });
    if (late && id !== undefined) {
      note(`the gateway of ${host} errs, and keeps ${id.slice(0, 8)}`);
      chain.held.add(id);
      scheduler.after(late.size * LATE_MS, () => {
        chain.held.delete(id);
        broadcast(transaction);
      });
      const code = stream.pick([-32000, -32003, -32003, -32005, 1000, 1050, 1100]);
      return { error: { code, message: "Server error" } };
    }
    const honest = () => (isBroadcast ? broadcast(transaction) : read(state, method, params));
    const later = (work: () => void) => void scheduler.after(stream.next() * LATE_MS, work);
    const asked = { stream, state, method, params, later };
    return (dishonesty && byzantineAnswer({ dishonesty, ...asked }, honest)) ?? honest();
  };

  const server: Server = {
    heedsCallers: false,
    isUp: () => scheduler.now() < character.awayFrom || scheduler.now() >= character.awayUntil,
    answer: ({ body = "" }) =>
      new Promise<Answer>((resolve) => {
        const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: unknown };
        scheduler.after(delayMs * stream.next(), () => {
          const text = JSON.stringify({ jsonrpc: "2.0", id, ...answer(method, params) });
          resolve({ status: 200, headers: {}, body: text });
        });
      }),
  };
  stage.network.serve(host, server);
}

function sweep({ mempool, view }: NodeState): void {
  for (const [id, { transfer }] of mempool)
    if (findTransfer(view().head, id) || transfer.expirationMs < view().head.timeMs) mempool.delete(id);
}

const timeText = (ms: number) => new Date(ms).toISOString().slice(0, 19);

function read(state: NodeState, method: string, params: unknown): Reply {
  const { head, irreversibleNum } = state.view();
  const [first] = Array.isArray(params) ? (params as unknown[]) : [];
  const named = (Array.isArray(params) ? {} : params) as Record<string, unknown>;
  switch (method) {
    case "database_api.get_version":
      return { result: { chain_id: MAINNET_CHAIN_ID } };
    case "database_api.get_dynamic_global_properties":
    case "condenser_api.get_dynamic_global_properties":
      return {
        result: {
          head_block_number: head.num,
          head_block_id: head.id,
          time: timeText(head.timeMs),
          last_irreversible_block_num: irreversibleNum,
        },
      };
    case "condenser_api.get_block_header": {
      const block = blockAt(head, Number(first));
      return {
        result: block && { previous: block.parent?.id ?? "0".repeat(40), timestamp: timeText(block.timeMs) },
      };
    }
    case "condenser_api.get_block": {
      const block = blockAt(head, Number(first));
      return { result: block && blockReply(block) };
    }
    case "database_api.find_accounts":
      return { result: { accounts: accountsOf(named.accounts, (name) => head.balances.get(name) ?? 0) } };
    case "condenser_api.get_accounts":
      return { result: accountsOf(first, (name) => head.balances.get(name) ?? 0) };
    case "transaction_status_api.find_transaction":
      return { result: statusOf(state, String(named.transaction_id), String(named.expiration)) };
    case "account_history_api.get_transaction":
    case "condenser_api.get_transaction": {
      const found = findTransfer(head, String(named.id ?? first));
      if (!found) return refuse("Unknown Transaction");
      return { result: { ...found.transfer.transfer.transaction, block_num: found.block.num } };
    }
    case "account_history_api.get_account_history":
      return { result: { history: historyOf(head, String(named.account)) } };
    default:
      return UNKNOWN_METHOD;
  }
}

/** Returns an account's transfers, oldest first, as nodes list them. */
function historyOf(head: Block, account: string) {
  const transfers: object[] = [];
  for (let block: Block | null = head; block; block = block.parent)
    for (const { id, transfer } of block.transfers)
      if (transfer.from === account || transfer.to === account) {
        const [[, value]] = transfer.transaction.operations;
        const place = { trx_id: id, block: block.num, timestamp: timeText(block.timeMs) };
        transfers.unshift({ ...place, op: { type: "transfer_operation", value } });
      }
  return transfers.map((transfer, index) => [index, transfer]);
}

function statusOf({ mempool, chain, view }: NodeState, id: string, expiration: string) {
  const { head, irreversibleNum } = view();
  const found = findTransfer(head, id);
  if (found) {
    const isFinal = found.block.num <= irreversibleNum;
    return {
      status: isFinal ? "within_irreversible_block" : "within_reversible_block",
      block_num: found.block.num,
    };
  }
  if (mempool.has(id) || chain.isWaiting(id)) return { status: "within_mempool" };
  const expirationMs = Date.parse(`${expiration}Z`);
  if (expirationMs > head.timeMs) return { status: "unknown" };
  const irreversible = blockAt(head, irreversibleNum);
  return {
    status:
      irreversible && expirationMs < irreversible.timeMs ? "expired_irreversible" : "expired_reversible",
  };
}

const identified = new Map<string, ChainTransfer | null>();
const MAX_IDENTIFIED = 2000;

/**
 * Returns the transfer with the id of the packing that its payer signed, or null if the payer signed neither.
 */
export function identify(input: unknown): ChainTransfer | null {
  const text = JSON.stringify(input);
  const known = identified.get(text);
  if (known !== undefined) return known;
  const transfer = readTransfer(input);
  const signature = typeof transfer === "string" ? undefined : transfer.signatures[0];
  const payer = typeof transfer === "string" ? undefined : accounts[transfer.from as keyof typeof accounts];
  let found: ChainTransfer | null = null;
  if (typeof transfer !== "string" && signature && payer)
    for (const packing of ["hf26", "legacy"] as const) {
      const key = recoverPublicKey(signingDigest(transfer.packed[packing], MAINNET_CHAIN_ID), signature);
      if (key && Buffer.from(key).equals(payer.publicKeyBytes))
        found ??= { id: transfer.ids[packing], transfer };
    }
  if (identified.size >= MAX_IDENTIFIED) identified.clear();
  identified.set(text, found);
  return found;
}
