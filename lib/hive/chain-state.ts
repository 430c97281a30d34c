import { z } from "zod";

/** The chain's clock text ("2026-11-21T03:13:27", UTC without Z) as milliseconds since 1970. */
export const ChainTime = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
  .transform((text) => Date.parse(`${text}Z`))
  .refine(Number.isFinite);

const BlockNumber = z.number().int().min(0).max(0xffffffff);

export const ChainState = z
  .object({
    head_block_number: BlockNumber,
    head_block_id: z.string().regex(/^[0-9a-f]{40}$/),
    time: ChainTime,
    last_irreversible_block_num: BlockNumber,
  })
  .transform((properties) => ({
    headBlock: properties.head_block_number,
    headBlockId: properties.head_block_id,
    headTimeMs: properties.time,
    irreversibleBlock: properties.last_irreversible_block_num,
  }));
export type ChainState = z.infer<typeof ChainState>;

/** Where the chain stands: head block, its time, the last irreversible block. */
export function readChainState(chain: ChainReader, options?: ReadOptions): Promise<ChainState> {
  return chain.read("condenser_api.get_dynamic_global_properties", [], ChainState, options);
}

export type ReadOptions = {
  /** Ends the read for the caller; the attempt in flight is cut. */
  signal?: AbortSignal | undefined;
  /** Limit of one attempt at one node (default: the client's). */
  timeoutMs?: number;
  /** Which of the healthiest nodes is asked first (default 0); counts round and round. */
  turn?: number;
};

/** What an answer has to look like; every schema of zod is one. */
export type Shape<T> = {
  safeParse(value: unknown): { success: true; data: T } | { success: false; error: unknown };
};

/** What can be read from: a client, or one node of it. */
export type ChainReader = {
  /**
   * A client asks the healthiest node, then the next ones until one answers.
   * @throws ChainError for the chain's own refusal, CodedError `chain_unavailable` when no node answers.
   */
  read<T>(method: string, params: unknown, shape: Shape<T>, options?: ReadOptions): Promise<T>;
};
