/** A node's final "no": the request reached the chain's own code and was refused there, so no other node is asked. */
export class ChainError extends Error {
  /** JSON-RPC code, such as -32003. */
  readonly rpcCode: number;
  /** The chain's own code, such as 3010000, where the node gave one. */
  readonly code: number | undefined;

  constructor(fault: { rpcCode: number; code?: number; name?: string; message: string }) {
    super(fault.message);
    this.name = fault.name ?? "ChainError";
    this.rpcCode = fault.rpcCode;
    this.code = fault.code;
  }
}

/** Tells whether the node said that it does not serve this API or method. */
export function isUnknownMethod(error: unknown): boolean {
  return error instanceof ChainError && (error.rpcCode === -32002 || error.rpcCode === -32601);
}

/** Tells whether the chain refused a transaction because it knows it already: somebody has sent it. */
export function isDuplicateTransaction(error: ChainError): boolean {
  return error.message.includes("Duplicate transaction check failed");
}
