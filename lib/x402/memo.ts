const nonceShape = /^[A-Za-z0-9_-]{16,64}$/;
const PREFIX = "x402:";

/** Returns whether a text can be the nonce of a payment. */
export function isNonce(text: string): boolean {
  return nonceShape.test(text);
}

/** The memo that binds a transfer to a nonce. */
export function memoOf(nonce: string): string {
  return PREFIX + nonce;
}

/** The nonce that a memo binds its transfer to; `undefined` for every other memo. */
export function nonceOf(memo: string): string | undefined {
  const nonce = memo.slice(PREFIX.length);
  return memo.startsWith(PREFIX) && isNonce(nonce) ? nonce : undefined;
}
