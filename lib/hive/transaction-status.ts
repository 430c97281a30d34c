import { z } from "zod";
import { ChainError, isUnknownMethod } from "./chain-error.ts";
import type { HiveClient, ReadOptions } from "./client.ts";

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

/** Where a transaction is, as one node sees it. */
export type TransactionStatus =
  | { kind: "included"; blockNum: number; isIrreversible: boolean }
  | { kind: "mempool" }
  /** Never seen, and no block can include it any more. */
  | { kind: "gone" }
  | { kind: "unknown" };

type Wanted = { id: string; expirationMs: number };

/** Asks one node where a transaction is. */
export async function findTransaction(
  client: HiveClient,
  wanted: Wanted,
  options?: ReadOptions,
): Promise<TransactionStatus> {
  try {
    const found = await client.read(METHOD, parameters(wanted), Found, options);
    return found.status === "too_old" ? findInHistory(client, wanted.id, options) : toStatus(found);
  } catch (error) {
    if (!isUnknownMethod(error)) throw error;
    return findInHistory(client, wanted.id, options);
  }
}

/** Asks two nodes and answers with the more careful of both views: included or gone only when both say so. */
export async function findTransactionByTwo(
  client: HiveClient,
  wanted: Wanted,
  options?: ReadOptions,
): Promise<TransactionStatus> {
  const views = (await client.readFromTwo(METHOD, parameters(wanted), Found, options)).map(toStatus);
  const [first, second = first] = views;
  if (!first || !second || first.kind !== second.kind) return { kind: "unknown" };
  if (first.kind !== "included" || second.kind !== "included") return first;
  if (first.blockNum !== second.blockNum) return { kind: "unknown" };
  return { ...first, isIrreversible: first.isIrreversible && second.isIrreversible };
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

/** For transactions that the status API no longer tracks, and for nodes without it. */
async function findInHistory(
  client: HiveClient,
  id: string,
  options?: ReadOptions,
): Promise<TransactionStatus> {
  const ask = (method: string, params: unknown) => client.read(method, params, Historic, options);
  try {
    const found = await ask("account_history_api.get_transaction", { id, include_reversible: true }).catch(
      (error: unknown) => {
        if (!isUnknownMethod(error)) throw error;
        return ask("condenser_api.get_transaction", [id]);
      },
    );
    return found
      ? { kind: "included", blockNum: found.block_num, isIrreversible: false }
      : { kind: "unknown" };
  } catch (error) {
    if (error instanceof ChainError && /Unknown Transaction/i.test(error.message)) return { kind: "unknown" };
    throw error;
  }
}
