import { wifShape } from "./signer.ts";

/**
 * Asks a wallet to sign a text with the posting key, such as Hive Keychain's `requestSignBuffer`; resolves to
 * 130 hex digits.
 */
export type SignMessage = (message: string, account: string) => string | Promise<string>;

/** Proves the account without paying, so that it can return to its purchases. */
export type MessageSigner = {
  /** The private posting key in WIF. */
  postingKey?: string | undefined;
  signMessage?: SignMessage | undefined;
};

/**
 * Returns the function that signs texts for an account, or `null` if the options name none.
 * @throws TypeError for a key that is not in WIF, and for two signers
 */
export function createMessageSigner({
  postingKey,
  signMessage,
}: MessageSigner): ((message: string, account: string) => Promise<string>) | null {
  if (postingKey !== undefined && signMessage !== undefined)
    throw new TypeError("pass either postingKey or signMessage");
  if (signMessage !== undefined) {
    if (typeof signMessage !== "function") throw new TypeError("signMessage must be a function");
    return async (message, account) => signMessage(message, account);
  }
  if (postingKey === undefined) return null;
  if (typeof postingKey !== "string" || !wifShape.test(postingKey))
    throw new TypeError("postingKey must be a private key in WIF");
  return async (message) => {
    // The curve is loaded with the first signature rather than with the page.
    const { signText } = await import("../../hive/private-key.ts");
    const signature = signText(message, postingKey);
    if (signature === null) throw new TypeError("the posting key is not a private key");
    return signature;
  };
}
