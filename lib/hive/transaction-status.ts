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
  /** `isDisputed`: one of two nodes has it, so it is not to be given up. */
  | { kind: "unknown"; isDisputed?: true };

type Wanted = { id: string; expirationMs: number };
type OrElse<T> = (refusal: ChainError) => T;
/** Asks one node or two: an answer each. */
type Ask = <T>(method: string, params: unknown, schema: z.ZodType<T>, orElse?: OrElse<T>) => Promise<T[]>;

/** Asks one node where a transaction is. */
export async function findTransaction(
  client: HiveClient,
  wanted: Wanted,
  options?: ReadOptions,
): Promise<TransactionStatus> {
  const [view = { kind: "unknown" }] = await findBy(async (method, params, schema, orElse) => {
    try {
      return [await client.read(method, params, schema, options)];
    } catch (error) {
      if (orElse && error instanceof ChainError) return [orElse(error)];
      throw error;
    }
  }, wanted);
  return view;
}

/** Asks two nodes and answers with the more careful of both views: included or gone only when both say so. */
export async function findTransactionByTwo(
  client: HiveClient,
  wanted: Wanted,
  options?: ReadOptions,
): Promise<TransactionStatus> {
  const views = await findBy(
    (method, params, schema, orElse) =>
      client.readFromTwo(method, params, schema, { ...options, ...(orElse && { orElse }) }),
    wanted,
  );
  const [first, second = first] = views;
  if (!first || !second) return { kind: "unknown" };
  const isSame = first.kind === second.kind;
  if (isSame && first.kind === "included" && second.kind === "included" && first.blockNum === second.blockNum)
    return { ...first, isIrreversible: first.isIrreversible && second.isIrreversible };
  if (isSame && first.kind !== "included") return first;
  const isSeen = views.some(({ kind }) => kind === "included" || kind === "mempool");
  return { kind: "unknown", ...(isSeen && { isDisputed: true }) };
}

const METHOD = "transaction_status_api.find_transaction";

const parameters = ({ id, expirationMs }: Wanted) => ({
  transaction_id: id,
  expiration: new Date(expirationMs).toISOString().slice(0, 19),
});

/** The status API knows the last days only, and some nodes do not serve it: then the history is asked. */
async function findBy(ask: Ask, wanted: Wanted): Promise<TransactionStatus[]> {
  try {
    const found = await ask(METHOD, parameters(wanted), Found);
    if (!found.some(({ status }) => status === "too_old")) return found.map(toStatus);
  } catch (error) {
    if (!isUnknownMethod(error)) throw error;
  }
  return findInHistory(ask, wanted.id);
}

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

async function findInHistory(ask: Ask, id: string): Promise<TransactionStatus[]> {
  const orElse = (refusal: ChainError) => {
    if (/Unknown Transaction/i.test(refusal.message)) return null;
    throw refusal;
  };
  const found = await ask(
    "account_history_api.get_transaction",
    { id, include_reversible: true },
    Historic,
    orElse,
  ).catch((error: unknown) => {
    if (!isUnknownMethod(error)) throw error;
    return ask("condenser_api.get_transaction", [id], Historic, orElse);
  });
  return found.map((place) =>
    place ? { kind: "included", blockNum: place.block_num, isIrreversible: false } : { kind: "unknown" },
  );
}
