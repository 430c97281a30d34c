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
