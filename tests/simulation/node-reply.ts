/** A node's answer: a result, or the chain's refusal. */
export type Reply = { result: unknown } | { error: { code: number; message: string; data?: object } };

/** The chain's refusal, with its assert data. */
export const refuse = (message: string, code = 10): Reply => ({
  error: { code: -32003, message, data: { code, name: "exception", stack: [{ format: message }] } },
});
