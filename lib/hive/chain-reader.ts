export type ReadOptions = {
  /** Aborts the read and the attempt in flight. */
  signal?: AbortSignal | undefined;
  /** Timeout of one attempt at one node; by default that of the client. */
  timeoutMs?: number;
  /** The index of the node to ask first among the healthiest ones, modulo their number (default 0). */
  turn?: number;
};

/** A parser of answers; every zod schema is one. */
export type Shape<T> = {
  safeParse(value: unknown): { success: true; data: T } | { success: false; error: unknown };
};

/** A source of reads: a client, or one node of it. */
export type ChainReader = {
  /**
   * Asks the healthiest node, then the next ones until one answers.
   * @throws ChainError if the chain itself refuses, CodedError `chain_unavailable` if no node answers
   */
  read<T>(method: string, params: unknown, shape: Shape<T>, options?: ReadOptions): Promise<T>;
};
