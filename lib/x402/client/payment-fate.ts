import { distinctNodes } from "../../chains.ts";
import { parseMillis } from "../amount.ts";
import { decodeBase64Json, MAX_PAYMENT_CHARACTERS } from "../header.ts";
import type { UnsignedTransfer } from "./build-transfer.ts";
import { askNode, callNode } from "./call-node.ts";

/** After this much chain time past the expiration no fork can bring the transfer back into a block. */
const BURIED_MS = 60_000;

/** The transfer in the text of an `x-payment` header that was made here. */
function transferIn(header: string): UnsignedTransfer {
  const payment = decodeBase64Json(header, MAX_PAYMENT_CHARACTERS) as {
    payload: { signedTransaction: UnsignedTransfer };
  };
  return payment.payload.signedTransaction;
}

const expirationOf = ({ expiration }: UnsignedTransfer) => Date.parse(`${expiration.slice(0, 19)}Z`);

/** The end of a payment's transfer by the chain's time, in ms since 1970. */
export const readExpiration = (header: string): number => expirationOf(transferIn(header));

/**
 * Returns whether no block holds the payment and none ever will, by the word of two nodes, or of the one that is named.
 * While they can't be asked, or differ, it may yet be charged.
 */
export async function isPaymentOver(
  nodes: readonly string[],
  header: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const transfer = transferIn(header);
  const [ids, distinct] = [await idsOf(transfer), distinctNodes(nodes)];
  const votes = await Promise.all(
    distinct.map((node) => isOverAt(node, ids, expirationOf(transfer), signal).catch(() => false)),
  );
  return votes.filter(Boolean).length >= Math.min(2, distinct.length);
}

async function isOverAt(
  node: string,
  ids: readonly string[],
  expirationMs: number,
  signal?: AbortSignal,
): Promise<boolean> {
  const fates = await Promise.all(ids.map((id) => fateAt(node, id, expirationMs, signal)));
  if (fates.includes("in a block")) return false;
  if (fates.every((fate) => fate === "gone")) return true;
  const { time } = await callNode(node, "condenser_api.get_dynamic_global_properties", [], signal);
  return typeof time === "string" && Date.parse(`${time}Z`) > expirationMs + BURIED_MS;
}

/** What one node knows of a transaction: `gone` when it has never seen it, and no block can hold it any more. */
async function fateAt(
  node: string,
  id: string,
  expirationMs: number,
  signal?: AbortSignal,
): Promise<"in a block" | "gone" | "unseen"> {
  const expiration = new Date(expirationMs).toISOString().slice(0, 19);
  const params = { transaction_id: id, expiration };
  const { status } = await callNode(node, "transaction_status_api.find_transaction", params, signal);
  if (status === "expired_irreversible") return "gone";
  if (status === "unknown" || status === "expired_reversible") return "unseen";
  if (status !== "too_old") return "in a block";
  // That API knows the last days only.
  const { error } = await askNode(node, "condenser_api.get_transaction", [id], signal);
  return /unknown transaction/i.test(String(error?.message)) ? "unseen" : "in a block";
}

/** The ids of both packings: a wallet may have signed either. */
async function idsOf(transfer: UnsignedTransfer): Promise<string[]> {
  // Loaded for the rare payment that was refused, not with every client.
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
        amount: { amount: BigInt(parseMillis(amount) ?? 0), symbol: "HBD" as const },
      },
    ],
  };
  return (["legacy", "hf26"] as const).map((packing) => transactionId(packTransaction(unsigned, packing)));
}
