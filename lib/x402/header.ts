import { decodeBase64, encodeBase64 } from "./base64.ts";

/** Carries the signed payment in a request, and the requirements in a 402 answer. */
export const HEADER_PAYMENT = "x-payment";
/** The header of the receipt (base64 of a SettleResponse) in a paid answer. */
export const HEADER_PAYMENT_RESPONSE = "x-payment-response";
/** Version 2's names for the same three headers. */
export const HEADER_V2_REQUIRED = "payment-required";
export const HEADER_V2_PAYMENT = "payment-signature";
export const HEADER_V2_RESPONSE = "payment-response";

/** Asks for a redirect's address in the answer's header of the same name, because browsers hide `location` from scripts. */
export const HEADER_REDIRECT = "x-payment-redirect";

/** The extension whose ids let servers return lost answers. */
export const PAYMENT_IDENTIFIER = "payment-identifier";

/** Maximum length of a payment header: 8 KiB. */
export const MAX_PAYMENT_CHARACTERS = 8192;

/**
 * Maximum length of the header that clients send: twice that, because a payment of version 2 repeats its
 * offer.
 */
export const MAX_SENT_CHARACTERS = 16_384;

const MAX_DEPTH = 32;

/** Encodes a value for a header: base64 of its JSON in UTF-8. */
export function encodeBase64Json(value: unknown): string {
  return encodeBase64(new TextEncoder().encode(JSON.stringify(value)));
}

/**
 * Decodes base64 of JSON: the standard alphabet with padding, valid UTF-8, and up to `maxLength` characters.
 * @throws SyntaxError for anything else, and for JSON nested deeper than any message of the protocol
 */
export function decodeBase64Json(text: string, maxLength: number): unknown {
  if (text.length > maxLength) throw new SyntaxError("too long");
  const json = decodeUtf8(text);
  assertDepth(json);
  return JSON.parse(json) as unknown;
}

function decodeUtf8(text: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(decodeBase64(text));
  } catch (cause) {
    throw new SyntaxError("not base64 of UTF-8", { cause });
  }
}

/** Counts the brackets outside strings before the parser recurses into them. */
function assertDepth(json: string): void {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < json.length; index++) {
    const character = json[index];
    if (character === "\\") index++;
    else if (character === '"') isInString = !isInString;
    else if (isInString) continue;
    else if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
    if (depth > MAX_DEPTH) throw new SyntaxError("nested too deep");
  }
}

const nonceShape = /^[A-Za-z0-9_-]{16,64}$/;
const PREFIX = "x402:";

/** Returns whether a text can be the nonce of a payment. */
export function isNonce(text: string): boolean {
  return nonceShape.test(text);
}

/** Returns the memo that binds a transfer to a nonce. */
export function memoOf(nonce: string): string {
  return PREFIX + nonce;
}

/** Returns the nonce to which a memo binds its transfer, or `undefined` for any other memo. */
export function nonceOf(memo: string): string | undefined {
  const nonce = memo.slice(PREFIX.length);
  return memo.startsWith(PREFIX) && isNonce(nonce) ? nonce : undefined;
}
