import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { CHALLENGE_SECONDS } from "../contract/limits.ts";
import { deriveSecrets, type Secret } from "../secret.ts";
import { CHALLENGE_SKEW_SECONDS, writeChallenge } from "./challenge-text.ts";

/** The fields that vary between challenges; the rest of the text follows from them. */
const Signed = z.object({
  signed_message: z.object({ nonce: z.string() }),
  timestamp: z.number().int().nonnegative().max(8_000_000_000),
});

type OpenChallenge = { nonce: string; digest: Uint8Array; secondsLeft: number };

export type Challenges = {
  /** Creates a text for the account's posting key to sign. */
  issue(account: string): { message: string; expiresAt: string };
  /**
   * Returns the challenge in the text if it was issued here for this account and is still open, "expired" if
   * it is no longer open, and null for any other text. The store records whether it was used.
   */
  read(message: string, account: string): OpenChallenge | "expired" | null;
};

/**
 * Creates the issuer and verifier of login challenges in the format of HiveSigner tokens. Each challenge
 * names the site, the effect of the signature and its expiry, so that the signer can compare them with the
 * page, and no other site accepts the answer. Nothing is stored for them: half of the nonce is random and
 * half is a MAC over the rest, so requests for challenges cannot fill the store.
 */
export function createChallenges(options: {
  secret: Secret;
  /** The public URL of the gateway: `https://chat.example.com`. */
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
    const purpose = `Sign in to ${publicUrl} as ${account}. Sign this only on a page of that address.`;
    return writeChallenge({ host, purpose, account, nonce, timestamp });
  };

  const isOurs = (nonce: string, account: string, timestamp: number) => {
    const [chance = "", code = "", ...more] = nonce.split(".");
    if (more.length > 0) return false;
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
      // The signed text and the checked text must be identical, byte for byte.
      if (write(account, nonce, timestamp).message !== message) return null;
      if (!isOurs(nonce, account, timestamp)) return null;
      const secondsLeft = timestamp + CHALLENGE_SECONDS - now() / 1000;
      if (secondsLeft <= 0) return "expired";
      if (secondsLeft > CHALLENGE_SECONDS + CHALLENGE_SKEW_SECONDS) return null;
      return { nonce, digest: createHash("sha256").update(message).digest(), secondsLeft };
    },
  };
}

function parse(message: string): z.infer<typeof Signed> | null {
  try {
    return Signed.safeParse(JSON.parse(message)).data ?? null;
  } catch {
    // The text is not JSON.
    return null;
  }
}
