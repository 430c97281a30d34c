import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { CHALLENGE_SECONDS } from "../contract/limits.ts";
import { deriveSecrets, type Secret } from "../secret.ts";

/** How far the clocks of gateways that share a secret may be apart. */
const CLOCK_SKEW_SECONDS = 60;

const Challenge = z.strictObject({
  signed_message: z.strictObject({ type: z.literal("login"), app: z.string(), nonce: z.string() }),
  authors: z.tuple([z.string()]),
  timestamp: z.number().int(),
});
type Challenge = z.infer<typeof Challenge>;

type OpenChallenge = { nonce: string; digest: Uint8Array; secondsLeft: number };

export type Challenges = {
  /** A text for the account's posting key to sign. */
  issue(account: string): { message: string; expiresAt: string };
  /**
   * What the signed text says when it is one of ours for this account and still open, "expired" when it was; whether it
   * was used, the store knows.
   */
  read(message: string, account: string): OpenChallenge | "expired" | null;
  /** Returns whether a signed object is a challenge of ours: its answer is good for a login once, and for nothing else. */
  isOurs(signed: { signed_message: object; authors: readonly string[]; timestamp: number }): boolean;
};

/**
 * Login challenges in the form of HiveSigner's tokens. Nothing is stored for them: the nonce is half chance and half
 * a code over the whole text, so nobody can fill the store by asking.
 */
export function createChallenges(options: { secret: Secret; app: string; now: () => number }): Challenges {
  const [ownKey, ...formerKeys] = deriveSecrets(options.secret, "login challenge");

  const codeUnder = (
    key: Uint8Array,
    ...content: [string, account: string, app: string, timestamp: number]
  ) => createHmac("sha256", key).update(JSON.stringify(content)).digest("base64url");

  const isOurs: Challenges["isOurs"] = (signed) => {
    const { signed_message: inner, authors: names, timestamp: time } = signed;
    const parsed = Challenge.safeParse({ signed_message: inner, authors: names, timestamp: time });
    if (!parsed.success) return false;
    const { signed_message, authors, timestamp } = parsed.data;
    const [chance = "", code = ""] = signed_message.nonce.split(".");
    const given = Buffer.from(code);
    return [ownKey, ...formerKeys].some((key) => {
      const expected = Buffer.from(codeUnder(key, chance, authors[0], signed_message.app, timestamp));
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  };

  return {
    issue(account) {
      const timestamp = Math.floor(options.now() / 1000);
      const chance = randomBytes(16).toString("base64url");
      const nonce = `${chance}.${codeUnder(ownKey, chance, account, options.app, timestamp)}`;
      const challenge: Challenge = {
        signed_message: { type: "login", app: options.app, nonce },
        authors: [account],
        timestamp,
      };
      const expiresAt = new Date((timestamp + CHALLENGE_SECONDS) * 1000).toISOString();
      return { message: JSON.stringify(challenge), expiresAt };
    },
    read(message, account) {
      const challenge = parseExactly(message);
      if (!challenge || challenge.authors[0] !== account || !isOurs(challenge)) return null;
      const secondsLeft = challenge.timestamp + CHALLENGE_SECONDS - options.now() / 1000;
      if (secondsLeft <= 0) return "expired";
      if (secondsLeft > CHALLENGE_SECONDS + CLOCK_SKEW_SECONDS) return null;
      const digest = createHash("sha256").update(message).digest();
      return { nonce: challenge.signed_message.nonce, digest, secondsLeft };
    },
    isOurs,
  };
}

/** The text must be the one that was issued, to the byte: what is signed and what is checked are the same. */
function parseExactly(message: string): Challenge | null {
  try {
    const parsed = Challenge.safeParse(JSON.parse(message));
    return parsed.success && JSON.stringify(parsed.data) === message ? parsed.data : null;
  } catch {
    // Not JSON.
    return null;
  }
}
