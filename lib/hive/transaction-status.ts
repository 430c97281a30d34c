import { z } from "zod";
import type { Agreement } from "./agree-among.ts";
import { ChainError, isUnknownMethod } from "./chain-node.ts";
import type { ChainReader, ReadOptions } from "./chain-reader.ts";

const BlockNumber = z.number().int().positive();

const Found = z.union([
  z.object({ status: z.literal("within_reversible_block"), block_num: BlockNumber }),
  z.object({ status: z.literal("within_irreversible_block"), block_num: BlockNumber }),
  z.object({
    status: z.enum(["unknown", "within_mempool", "expired_reversible", "expired_irreversible", "too_old"]),
  }),
]);
type Found = z.infer<typeof Found>;

const Historic = z.object({ block_num: BlockNumber }).nullable();

/** The place of a transaction, according to one node. */
export type TransactionStatus =
  | { kind: "included"; blockNum: number; isIrreversible: boolean }
  | { kind: "mempool" }
  /** Never seen, and no block can include it any more. */
  | { kind: "gone" }
  | { kind: "unknown" };

type Wanted = { id: string; expirationMs: number };

/** Returns the place of a transaction. */
export async function findTransaction(
  chain: ChainReader,
  wanted: Wanted,
  options?: ReadOptions,
): Promise<TransactionStatus> {
  try {
    const found = await chain.read(METHOD, parameters(wanted), Found, options);
    if (found.status !== "too_old") return toStatus(found);
  } catch (error) {
    if (!isUnknownMethod(error)) throw error;
  }
  // The status API covers only recent days, and some nodes do not serve it.
  return findInHistory(chain, wanted.id, options);
}

/** Merges the places of a transaction according to two nodes: it is irreversible or gone only if both agree. */
export function mergeStatus([first, ...others]: Agreement<TransactionStatus>): TransactionStatus {
  if (first.kind === "included")
    return {
      ...first,
      isIrreversible:
        first.isIrreversible && others.every((view) => "isIrreversible" in view && view.isIrreversible),
    };
  return others.find(({ kind }) => kind === "unknown") ?? first;
}

/** Returns true if two nodes see a transaction in the same place. "Never seen" and "gone" both count as nowhere. */
export function isSamePlace(one: TransactionStatus, other: TransactionStatus): boolean {
  const placeOf = (status: TransactionStatus) => {
    if (status.kind === "included") return status.blockNum;
    return status.kind === "gone" ? "unknown" : status.kind;
  };
  return placeOf(one) === placeOf(other);
}

const METHOD = "transaction_status_api.find_transaction";

const parameters = ({ id, expirationMs }: Wanted) => ({
  transaction_id: id,
  expiration: new Date(expirationMs).toISOString().slice(0, 19),
});

function toStatus(found: Found): TransactionStatus {
  switch (found.status) {
    case "within_reversible_block":
    case "within_irreversible_block":
      return {
        kind: "included",
        blockNum: found.block_num,
        isIrreversible: found.status === "within_irreversible_block",
      };
    case "within_mempool":
      return { kind: "mempool" };
    case "expired_irreversible":
      return { kind: "gone" };
    default:
      return { kind: "unknown" };
  }
}

async function findInHistory(
  chain: ChainReader,
  id: string,
  options?: ReadOptions,
): Promise<TransactionStatus> {
  try {
    const params = { id, include_reversible: true };
    const place = await chain
      .read("account_history_api.get_transaction", params, Historic, options)
      .catch((error: unknown) => {
        if (!isUnknownMethod(error)) throw error;
        return chain.read("condenser_api.get_transaction", [id], Historic, options);
      });
    if (place) return { kind: "included", blockNum: place.block_num, isIrreversible: false };
  } catch (error) {
    if (!(error instanceof ChainError) || !/Unknown Transaction/i.test(error.message)) throw error;
  }
  return { kind: "unknown" };
}
