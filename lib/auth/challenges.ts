import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { CHALLENGE_SECONDS } from "../contract/limits.ts";
import { deriveSecrets, type Secret } from "../secret.ts";

/** How far the clocks of gateways that share a secret may be apart. */
const CLOCK_SKEW_SECONDS = 60;

/** The fields that differ from challenge to challenge; the rest of the text follows from them. */
const Signed = z.object({
  signed_message: z.object({ nonce: z.string() }),
  timestamp: z.number().int().nonnegative().max(8_000_000_000),
});

type OpenChallenge = { nonce: string; digest: Uint8Array; secondsLeft: number };

export type Challenges = {
  /** A text for the account's posting key to sign. */
  issue(account: string): { message: string; expiresAt: string };
  /**
   * The challenge in the text when it was issued here for this account and is still open, "expired" when it no longer
   * is, null for any other text. The store knows whether it was used.
   */
  read(message: string, account: string): OpenChallenge | "expired" | null;
};

/**
 * Login challenges in the form of HiveSigner's tokens. Each names the site, what its signature does there and when it
 * ends, so that whoever is asked to sign can compare them with the page that asks, and no other site takes the answer.
 * Nothing is stored for them: the nonce is half chance and half a code over the rest, so nobody can fill the store by
 * asking.
 */
export function createChallenges(options: {
  secret: Secret;
  /** Where the gateway is reached: `https://chat.example.com`. */
  publicUrl: string;
  now: () => number;
}): Challenges {
  const { publicUrl, now } = options;
  const { host } = new URL(publicUrl);
  const [ownKey, ...formerKeys] = deriveSecrets(options.secret, "login challenge");

  const codeUnder = (key: Uint8Array, ...content: [string, account: string, timestamp: number]) =>
    createHmac("sha256", key)
      .update(JSON.stringify([...content, host]))
      .digest("base64url");

  const write = (account: string, nonce: string, timestamp: number) => {
    const expires = new Date((timestamp + CHALLENGE_SECONDS) * 1000).toISOString();
    const purpose = `Sign in to ${publicUrl} as ${account}. Sign this only on a page of that address.`;
    const signed_message = { type: "login", app: host, purpose, expires, nonce };
    return { message: JSON.stringify({ signed_message, authors: [account], timestamp }), expires };
  };

  const isOurs = (nonce: string, account: string, timestamp: number) => {
    const [chance = "", code = ""] = nonce.split(".");
    const given = Buffer.from(code);
    return [ownKey, ...formerKeys].some((key) => {
      const expected = Buffer.from(codeUnder(key, chance, account, timestamp));
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  };

  return {
    issue(account) {
      const timestamp = Math.floor(now() / 1000);
      const chance = randomBytes(16).toString("base64url");
      const nonce = `${chance}.${codeUnder(ownKey, chance, account, timestamp)}`;
      const { message, expires } = write(account, nonce, timestamp);
      return { message, expiresAt: expires };
    },
    read(message, account) {
      const parsed = parse(message);
      if (!parsed) return null;
      const { timestamp, signed_message } = parsed;
      const { nonce } = signed_message;
      // What is signed and what is checked must be the same text, to the byte.
      if (write(account, nonce, timestamp).message !== message) return null;
      if (!isOurs(nonce, account, timestamp)) return null;
      const secondsLeft = timestamp + CHALLENGE_SECONDS - now() / 1000;
      if (secondsLeft <= 0) return "expired";
      if (secondsLeft > CHALLENGE_SECONDS + CLOCK_SKEW_SECONDS) return null;
      return { nonce, digest: createHash("sha256").update(message).digest(), secondsLeft };
    },
  };
}

function parse(message: string): z.infer<typeof Signed> | null {
  try {
    return Signed.safeParse(JSON.parse(message)).data ?? null;
  } catch {
    // Not JSON.
    return null;
  }
}
