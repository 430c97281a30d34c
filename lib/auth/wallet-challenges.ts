import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import { z } from "zod";
import { CHALLENGE_SECONDS } from "../contract/limits.ts";
import { deriveSecrets, type Secret } from "../secret.ts";
import { writeChallenge } from "./challenge-text.ts";

/** The browser that asks for a sign-in, as the owner of the wallet recognizes it. */
export type Asker = {
  /** Such as `Firefox`, or an empty text. */
  program: string;
  /** Such as `Linux`, or an empty text. */
  system: string;
  /** The client's address, or an empty text. */
  address: string;
  /** The host of the page that asks, `?` if it is unknown, or an empty text for a page of the gateway's own site. */
  site: string;
};

export type WalletChallenge = {
  /** The authenticated part of the id, by which the challenge is recorded. */
  content: string;
  account: string;
  asker: Asker;
  digest: Uint8Array;
  /** Seconds until a signature is too late, negative afterwards, and too many if the clock was set back. */
  secondsLeft: number;
  /** Admits the asking page to the session, and is never part of a link. */
  secret: string;
  /** Ends the sign-in; only the answer to the wallet contains it. */
  endToken: string;
  /** Recognizes the browser that asked. Its cookie holds it, and it opens nothing by itself. */
  askerToken: string;
};

export type IssuedWalletChallenge = {
  id: string;
  message: string;
  secret: string;
  expiresAt: string;
  askerToken: string;
};

export type WalletChallenges = {
  /** Creates a text that the account's wallet signs for another browser, or for another app of the same phone. */
  issue(account: string, asker: Asker): IssuedWalletChallenge;
  /** Returns the challenge of an id, open or not, or null for an id that was not issued here. */
  read(id: string): WalletChallenge | null;
};

const MAC_BYTES = 16;
const CHANCE_BYTES = 8;
const LONGEST_NAME = 16;
const LONGEST_SITE = 64;
/** Longer than any id that is issued. */
const LONGEST_ID = 300;

const Asked = z.tuple([
  z.string(),
  z.number().int().nonnegative().max(8_000_000_000),
  z.string(),
  z.string(),
  z.string(),
  z.string(),
  z.string().optional(),
]);

/**
 * Creates the issuer and verifier of challenges that a wallet answers by a callback. The id holds the account, the time
 * and the asking browser under a MAC, and the secrets are MACs over the id, so nothing is stored for a challenge and
 * requests for them cannot fill the store.
 */
export function createWalletChallenges(options: {
  secret: Secret;
  /** The public URL of the gateway: `https://chat.example.com`. */
  publicUrl: string;
  now: () => number;
}): WalletChallenges {
  const { publicUrl, now } = options;
  const { host } = new URL(publicUrl);
  const keys = deriveSecrets(options.secret, "wallet challenge");

  const codeOf = (key: Uint8Array, use: "id" | "nonce" | "secret" | "end" | "asker", content: string) =>
    createHmac("sha256", key)
      .update(JSON.stringify([use, content, host]))
      .digest();
  const shortCodeOf = (...given: Parameters<typeof codeOf>) =>
    codeOf(...given)
      .subarray(0, MAC_BYTES)
      .toString("base64url");

  const write = (
    key: Uint8Array,
    content: string,
    asked: { account: string; timestamp: number; asker: Asker },
  ) => {
    const { account, timestamp, asker } = asked;
    const purpose = `Signing in another browser (${describe(asker)}) to ${publicUrl} as ${account}. Sign this only if you asked for it there yourself.`;
    return writeChallenge({ host, purpose, account, nonce: shortCodeOf(key, "nonce", content), timestamp });
  };
  const secretsOf = (key: Uint8Array, content: string) => ({
    secret: codeOf(key, "secret", content).toString("base64url"),
    endToken: codeOf(key, "end", content).toString("base64url"),
    askerToken: codeOf(key, "asker", content).toString("base64url"),
  });

  return {
    issue(account, given) {
      const [key] = keys;
      const timestamp = Math.floor(now() / 1000);
      const chance = randomBytes(CHANCE_BYTES).toString("base64url");
      const asker = plainly(given);
      const asked = [account, timestamp, chance, asker.program, asker.system, asker.address];
      if (asker.site) asked.push(asker.site);
      const content = Buffer.from(JSON.stringify(asked)).toString("base64url");
      const { message, expires } = write(key, content, { account, timestamp, asker });
      const { secret, askerToken } = secretsOf(key, content);
      const id = `${content}.${shortCodeOf(key, "id", content)}`;
      return { id, message, secret, expiresAt: expires, askerToken };
    },
    read(id) {
      const [content = "", code = "", ...more] = id.length > LONGEST_ID ? [] : id.split(".");
      if (more.length > 0) return null;
      const key = keys.find((one) => isSame(shortCodeOf(one, "id", content), code));
      if (!key) return null;
      const asked = JSON.parse(Buffer.from(content, "base64url").toString());
      const [account, timestamp, , program, system, address, site = ""] = Asked.parse(asked);
      const secondsLeft = timestamp + CHALLENGE_SECONDS - now() / 1000;
      const asker = { program, system, address, site };
      const { message } = write(key, content, { account, timestamp, asker });
      const digest = createHash("sha256").update(message).digest();
      return { content, account, asker, digest, secondsLeft, ...secretsOf(key, content) };
    },
  };
}

/**
 * Returns the asker without anything that could pass for another part of the text to sign: names without brackets, and
 * an address only if it is one. An IPv6 network is known by its first address, and a long host by its end, which has
 * the registered name.
 */
function plainly({ program, system, address, site }: Asker): Asker {
  const nameOf = (text: string) =>
    text
      .replace(/[^\w .+-]/g, "")
      .slice(0, LONGEST_NAME)
      .trim();
  const first = address.replace(/\/\d+$/, "");
  return {
    program: nameOf(program),
    system: nameOf(system),
    address: isIP(first) === 0 ? "" : first,
    site: site.replace(/[^\w.:[\]?-]/g, "").slice(-LONGEST_SITE),
  };
}

/** Returns `Firefox on Linux, on a page of app.example.net, from 203.0.113.7`, or the parts that are there. */
function describe({ program, system, address, site }: Asker): string {
  const device = [program, system].filter(Boolean).join(" on ");
  const page = site && `on a page of ${site === "?" ? "an unknown site" : site}`;
  return [device, page, `from ${address || "an unknown address"}`].filter(Boolean).join(", ");
}

/** Compares two secrets without revealing where they differ. */
export function isSame(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}
