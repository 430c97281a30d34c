import { distinctNodes } from "../../chains.ts";
import { parseMils } from "../../mils.ts";
import { decodeBase64Json, MAX_SENT_CHARACTERS } from "../header.ts";
import type { UnsignedTransfer } from "./build-transfer.ts";
import { askNode, callNode } from "./call-node.ts";

/** Chain time after a transfer's expiration in which a fork can still return the transfer to a block. */
const BURIED_MS = 60_000;

/** Returns the transfer in a payment header that this client created. */
function transferIn(header: string): UnsignedTransfer {
  const payment = decodeBase64Json(header, MAX_SENT_CHARACTERS) as {
    payload: { signedTransaction: UnsignedTransfer };
  };
  return payment.payload.signedTransaction;
}

const expirationOf = ({ expiration }: UnsignedTransfer) => Date.parse(`${expiration.slice(0, 19)}Z`);

/** Returns the expiration of a payment's transfer by the chain's time, in ms since 1970. */
export const readExpiration = (header: string): number => expirationOf(transferIn(header));

/**
 * The fate of a payment: `taken` if the chain has it, `over` if no block contains it and none ever will, or
 * else `open`.
 */
export type PaymentFate = "taken" | "over" | "open";

/**
 * Reads the fate of a payment from two nodes that must agree, or from the only configured one. While they
 * differ or do not answer, the payment counts as open, because it may still be charged.
 * @throws the signal's reason once it aborts
 */
export async function readPaymentFate(
  nodes: readonly string[],
  header: string,
  signal?: AbortSignal,
): Promise<PaymentFate> {
  const transfer = transferIn(header);
  const ids = await idsOf(transfer);
  const fate = await agreeOn(nodes, (node) => readFateAt(node, ids, expirationOf(transfer), signal));
  signal?.throwIfAborted();
  return fate ?? "open";
}

/**
 * Returns the id of the transaction that two nodes, or the only configured one, have in a block for a payment, or null
 * while they do not.
 */
export async function findTransaction(nodes: readonly string[], header: string): Promise<string | null> {
  const transfer = transferIn(header);
  const ids = await idsOf(transfer);
  return agreeOn(nodes, async (node) => {
    const places = await Promise.all(ids.map((id) => findAt(node, id, expirationOf(transfer))));
    return ids[places.indexOf("block")] ?? null;
  });
}

/** Returns the answer that two nodes give, or the only one; null if they differ, or one of them gives none. */
async function agreeOn<T extends string>(
  nodes: readonly string[],
  ask: (node: string) => Promise<T | null>,
): Promise<T | null> {
  const distinct = distinctNodes(nodes);
  const votes = await Promise.all(distinct.map((node) => ask(node).catch(() => null)));
  const isAgreed = (vote: T | null) =>
    vote !== null && votes.filter((other) => other === vote).length >= Math.min(2, distinct.length);
  return votes.find(isAgreed) ?? null;
}

async function readFateAt(
  node: string,
  ids: readonly string[],
  expirationMs: number,
  signal?: AbortSignal,
): Promise<PaymentFate> {
  const places = await Promise.all(ids.map((id) => findAt(node, id, expirationMs, signal)));
  if (places.some((place) => place === "block" || place === "mempool")) return "taken";
  if (places.every((place) => place === "gone")) return "over";
  const { time } = await callNode(node, "condenser_api.get_dynamic_global_properties", [], signal);
  const isBuried = typeof time === "string" && Date.parse(`${time}Z`) > expirationMs + BURIED_MS;
  return isBuried ? "over" : "open";
}

/**
 * Returns the place of a transaction according to one node: `gone` if the node has never seen it and no block
 * can contain it any more.
 */
async function findAt(
  node: string,
  id: string,
  expirationMs: number,
  signal?: AbortSignal,
): Promise<"block" | "mempool" | "gone" | "unseen"> {
  const expiration = new Date(expirationMs).toISOString().slice(0, 19);
  const params = { transaction_id: id, expiration };
  const { status } = await callNode(node, "transaction_status_api.find_transaction", params, signal);
  if (status === "expired_irreversible") return "gone";
  if (status === "unknown" || status === "expired_reversible") return "unseen";
  if (status === "within_mempool") return "mempool";
  if (status === "within_reversible_block" || status === "within_irreversible_block") return "block";
  if (status !== "too_old") throw new TypeError("not a transaction status");
  // The status API covers only the last days.
  const { error } = await askNode(node, "condenser_api.get_transaction", [id], signal);
  if (/unknown transaction/i.test(String(error?.message))) return "unseen";
  if (error) throw new TypeError("no answer about the transaction");
  return "block";
}

/** Returns the ids that the transaction of a payment can have. */
export const readTransactionIds = (header: string): Promise<string[]> => idsOf(transferIn(header));

/** Returns the ids of both packings, because a wallet may have signed either. */
async function idsOf(transfer: UnsignedTransfer): Promise<string[]> {
  // Loaded only for a payment that was refused, which is rare.
  const { packTransaction, transactionId } = await import("../../hive/packing.ts");
  const [[, { from, to, amount, memo }]] = transfer.operations;
  const unsigned = {
    refBlockNum: transfer.ref_block_num,
    refBlockPrefix: transfer.ref_block_prefix,
    expiration: expirationOf(transfer) / 1000,
    operations: [
      {
        type: "transfer" as const,
        ...{ from, to, memo },
        amount: { amount: BigInt(parseMils(amount) ?? 0), symbol: "HBD" as const },
      },
    ],
  };
  return (["legacy", "hf26"] as const).map((packing) => transactionId(packTransaction(unsigned, packing)));
}
