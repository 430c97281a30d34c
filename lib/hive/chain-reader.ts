import type { z } from "zod";

export type ReadOptions = {
  /** Ends the read for the caller; the attempt in flight is cut. */
  signal?: AbortSignal | undefined;
  /** Limit of one attempt at one node (default: the client's). */
  timeoutMs?: number;
  /** Which of the healthiest nodes is asked first (default 0); counts round and round. */
  turn?: number;
};

/** What can be read from: a client, or one node of it. */
export type ChainReader = {
  /**
   * A client asks the healthiest node, then the next ones until one answers.
   * @throws ChainError for the chain's own refusal, CodedError `chain_unavailable` when no node answers.
   */
  read<T>(method: string, params: unknown, schema: z.ZodType<T>, options?: ReadOptions): Promise<T>;
};
