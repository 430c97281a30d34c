import { createHash } from "node:crypto";
import { z } from "zod";
import { isAccountName } from "./account-name.ts";
import { readAccounts } from "./accounts.ts";
import type { AuthorityCache } from "./authority-cache.ts";
import { readChainState } from "./chain-state.ts";
import type { HiveClient } from "./client.ts";
import { checkSignature, isEnough, type PostingSignature } from "./posting-signature.ts";
import { recoverPublicKey } from "./recover-key.ts";

const LONGEST_TOKEN = 4096;
const CLOCK_SKEW_SECONDS = 60;

/** The standard or URL alphabet, padded with `=`, or with `.` as HiveSigner does. */
const shape = /^[A-Za-z0-9+/_-]+[=.]{0,2}$/;

export const TokenContent = z.object({
  signed_message: z.looseObject({ type: z.string(), app: z.string() }),
  authors: z.tuple([z.string().refine(isAccountName)]),
  timestamp: z.number().int().positive().max(Number.MAX_SAFE_INTEGER),
  signatures: z.tuple([z.string().regex(/^[0-9a-f]{130}$/)]),
});
export type TokenContent = z.infer<typeof TokenContent>;

/**
 * Tokens of other types are refused: `login` answers a site's challenge, `refresh` never signs anyone in, and
 * `offline` is no longer issued.
 */
const acceptedTypes: readonly string[] = ["code", "posting"];

type Fault =
  | "malformed"
  | "wrong_account"
  | "wrong_type"
  | "wrong_app"
  | "from_the_future"
  | "too_old"
  | Extract<PostingSignature, { isValid: false }>["reason"];

export type AccessTokenVerdict =
  | { isValid: true; content: TokenContent; digest: Uint8Array; key: string }
  | { isValid: false; reason: Fault };

/**
 * Verifies that an app's token is signed by the account's current posting key, names one of the apps and is recent
 * enough. Rejects with the chain client's error.
 */
export async function verifyAccessToken(
  token: string,
  options: {
    account: string;
    appIds: readonly string[];
    maxAgeSeconds: number;
    authorities: AuthorityCache;
    nowMs: number;
  },
): Promise<AccessTokenVerdict> {
  const parsed = readSignedToken(token, TokenContent);
  if (!parsed) return { isValid: false, reason: "malformed" };
  const { content } = parsed;
  const [account] = content.authors;
  if (account !== options.account) return { isValid: false, reason: "wrong_account" };
  if (!acceptedTypes.includes(content.signed_message.type)) return { isValid: false, reason: "wrong_type" };
  if (!options.appIds.includes(content.signed_message.app)) return { isValid: false, reason: "wrong_app" };
  return checkSigned(parsed, options);
}

/** Checks the age of a token, and that the account's current posting key has signed it. */
export async function checkSigned(
  { content, digest }: { content: TokenContent; digest: Uint8Array },
  options: { account: string; maxAgeSeconds: number; authorities: AuthorityCache; nowMs: number },
): Promise<AccessTokenVerdict> {
  const ageSeconds = options.nowMs / 1000 - content.timestamp;
  if (ageSeconds < -CLOCK_SKEW_SECONDS) return { isValid: false, reason: "from_the_future" };
  if (ageSeconds > options.maxAgeSeconds) return { isValid: false, reason: "too_old" };
  const [signature] = content.signatures;
  const checked = await checkPostingSignature(options.authorities, options.account, digest, signature);
  return checked.isValid ? { isValid: true, content, digest, key: checked.key } : checked;
}

/** Returns a token's content and its signed digest, or `null` if the text is no token of that schema. */
export function readSignedToken<Content extends TokenContent>(
  token: string,
  schema: z.ZodType<Content>,
): { content: Content; digest: Uint8Array } | null {
  if (token.length > LONGEST_TOKEN || !shape.test(token)) return null;
  let value: unknown;
  try {
    const bytes = Buffer.from(token.replace(/[=.]+$/, ""), "base64");
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    // The decoded token is not text, or not JSON.
    return null;
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) return null;
  // The digest covers exactly the checked values, not the received text. The parser might drop or reorder
  // keys of the inner object, which is therefore used as received.
  const { signed_message } = value as TokenContent;
  const { authors, timestamp } = parsed.data;
  const text = JSON.stringify({ signed_message, authors, timestamp });
  return { content: parsed.data, digest: createHash("sha256").update(text).digest() };
}

/**
 * Checks a signature (130 hex digits) over the digest, as `checkSignature` does. Rejects with the chain
 * client's error.
 */
export const checkPostingSignature = (
  authorities: AuthorityCache,
  account: string,
  digest: Uint8Array,
  signature: string,
): Promise<PostingSignature> =>
  checkSignature({ authorities, recover: recoverPublicKey }, account, digest, signature);

/** Exceeds the time for which nodes cache an account, and the tolerated deviation of a clock. */
const LAG_MS = 10_000;

/**
 * Returns whether an account has lost a key that it had at `provenAtMs` (ms since 1970). Two nodes with later
 * heads must agree, because a lagging node still shows the former key.
 * @throws CodedError `chain_unavailable` if no two agree
 */
export async function hasLostKey(
  client: Pick<HiveClient, "agree">,
  account: string,
  key: string,
  provenAtMs: number,
): Promise<boolean> {
  const [isLost] = await client.agree(async (node) => {
    // The head is read before the account, whose state is then of the same block or a later one.
    const { headTimeMs } = await readChainState(node);
    const posting = (await readAccounts(node, [account])).get(account)?.posting ?? null;
    return headTimeMs > provenAtMs + LAG_MS && !isEnough(posting, key);
  });
  return isLost;
}
