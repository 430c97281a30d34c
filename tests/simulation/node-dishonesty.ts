import { accounts, accountsOf } from "./accounts.ts";
import { blockReply } from "./block-reply.ts";
import type { Stream } from "./chance.ts";
import { type Reply, refuse } from "./node-reply.ts";
import { blockAt, type ChainTransfer } from "./simulated-chain.ts";
import type { NodeState } from "./simulated-node.ts";

/** The ways in which a node is dishonest. A node has one of them, or all. */
export const dishonesties = [
  "claims inclusion",
  "denies what is in blocks",
  "says that it is gone",
  "claims a later head",
  "claims an earlier head",
  "claims riches and keys",
  "swallows broadcasts",
  "refuses broadcasts",
  "does all of it",
] as const;
export type Dishonesty = (typeof dishonesties)[number];

type Asked = {
  dishonesty: Dishonesty;
  stream: Stream;
  state: NodeState;
  method: string;
  params: unknown;
  /** Runs `work` some time later. */
  later(work: () => void): void;
};

/** Returns the answer of a dishonest node if it differs from an honest one's, or null. */
export function byzantineAnswer(asked: Asked, honest: () => Reply): Reply | null {
  const { dishonesty, stream, state, method, params, later } = asked;
  const does = (kind: Dishonesty) => dishonesty === kind || dishonesty === "does all of it";
  // Every check would detect a node that always lies, so a liar is honest now and then.
  if (stream.next() < 0.3) return null;
  const { head } = state.view();

  if (/get_transaction$/.test(method) && does("claims inclusion")) {
    const named = Array.isArray(params) ? params[0] : (params as { id: unknown }).id;
    const waiting = state.mempool.get(String(named));
    if (waiting) return { result: { ...waiting.transfer.transaction, block_num: head.num } };
  }
  if (/find_transaction$|get_transaction$/.test(method)) {
    const choice = stream.next();
    const status = (given: object): Reply => ({ result: given });
    if (does("claims inclusion") && choice < 0.5)
      return status({
        status: choice < 0.25 ? "within_reversible_block" : "within_irreversible_block",
        block_num: head.num - Math.floor(stream.next() * 4),
      });
    if (does("says that it is gone") && choice < 0.75) return status({ status: "expired_irreversible" });
    if (does("denies what is in blocks"))
      return status({ status: choice < 0.9 ? "unknown" : "within_mempool" });
    return null;
  }
  if (/get_block$/.test(method)) {
    const num = Number((params as unknown[])[0]);
    const real = blockAt(head, num);
    const block = (transfers: readonly ChainTransfer[]): Reply => {
      const id = num.toString(16).padStart(8, "0") + head.id.slice(8);
      const invented = { ...head, id, num };
      return { result: blockReply(real ?? invented, transfers) };
    };
    if (does("claims inclusion")) return block([...(real?.transfers ?? []), ...state.mempool.values()]);
    if (does("denies what is in blocks") || does("claims a later head")) return block([]);
    return does("claims an earlier head") ? { result: null } : null;
  }
  // Only about wallets' transfers: those of signed payments are asked for by their ids.
  if (/get_account_history$/.test(method) && state.view().head.balances.has("erin")) {
    if (does("denies what is in blocks")) return { result: { history: [] } };
    return null;
  }
  if (/get_dynamic_global_properties$/.test(method)) {
    const isLater = does("claims a later head");
    if (!isLater && !does("claims an earlier head")) return null;
    const blocks = [2, 14, 300, 100_000][Math.floor(stream.next() * 4)] ?? 0;
    const num = isLater ? head.num + blocks : Math.max(1, head.num - blocks);
    const timeMs = head.timeMs + (num - head.num) * 3000;
    return {
      result: {
        head_block_number: num,
        head_block_id: num.toString(16).padStart(8, "0") + head.id.slice(8),
        time: new Date(timeMs).toISOString().slice(0, 19),
        last_irreversible_block_num: num - 1,
      },
    };
  }
  if (/find_accounts$|get_accounts$/.test(method) && does("claims riches and keys")) {
    const key = stream.next() < 0.5 ? accounts.mallory.publicKey : undefined;
    const names = Array.isArray(params) ? params[0] : (params as { accounts: string[] }).accounts;
    const found = accountsOf(names, () => 1_000_000_000, key);
    return { result: Array.isArray(params) ? found : { accounts: found } };
  }
  if (/broadcast_transaction$/.test(method)) {
    if (does("swallows broadcasts")) return { result: {} };
    if (!does("refuses broadcasts")) return null;
    // The node may still pass on a transaction that it claims to refuse, now or when no one expects it any
    // more.
    const passing = stream.next();
    if (passing < 0.35) honest();
    else if (passing < 0.7) later(honest);
    const message =
      stream.next() < 0.3 ? "Duplicate transaction check failed" : "missing required active authority";
    return refuse(message, 3010000);
  }
  return null;
}
