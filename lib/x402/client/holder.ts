import { toBase64Url } from "../base64-url.ts";

/**
 * Creates the secret that a payment carries in addition to its transfer: 256 random bits as base64url. The
 * transfer is public on the chain; the seller delivers only to a client that presents this secret too.
 */
export const makeHolder = (): string => toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
