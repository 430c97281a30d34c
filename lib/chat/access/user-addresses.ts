import { createHmac } from "node:crypto";
import { deriveSecrets, type Secret } from "../../secret.ts";

/** A mail domain that can't exist: chat users have no mailbox. */
const DOMAIN = "users.hivegate.invalid";
/** 128 bits in hexadecimal: the backend turns addresses into lower case. */
const TAG_LENGTH = 32;

/** The mail addresses that the gateway gives to the chat users it makes. */
export type UserAddresses = {
  /**
   * The account's address. It carries a tag that only the session secret makes, and the backend takes each address
   * once: while the gateway's user has it nobody else can, and nobody can take it beforehand.
   */
  of(account: string): string;
  /** That one, and what it was under the secret before. */
  allOf(account: string): readonly [string, ...string[]];
  /** What only the gateway can give too: a user has it until everybody else is shut out of it. */
  pendingOf(account: string): string;
  /** The address under the present secret for one that either secret gave the account; null for any other. */
  renewed(account: string, email: string): string | null;
  /** Whether the address is the account's, or its pending one, under either secret. */
  kindOf(account: string, email: string): "own" | "pending" | "other";
  /** What earlier versions gave: anybody who signs up may choose it, so it proves nothing alone. */
  formerOf(account: string): string;
};

/** The addresses under the session secret. */
export function createUserAddresses(secret: Secret): UserAddresses {
  const [ownKey, ...formerKeys] = deriveSecrets(secret, "chat user address");
  const addressUnder = (key: Uint8Array, account: string, tagged = account) => {
    const tag = createHmac("sha256", key).update(tagged).digest("hex").slice(0, TAG_LENGTH);
    return `${account}.${tag}@${DOMAIN}`;
  };
  const pendingUnder = (key: Uint8Array, account: string) => addressUnder(key, account, `pending ${account}`);
  const kindOf: UserAddresses["kindOf"] = (account, email) => {
    const keys = [ownKey, ...formerKeys];
    if (keys.some((key) => addressUnder(key, account) === email)) return "own";
    return keys.some((key) => pendingUnder(key, account) === email) ? "pending" : "other";
  };
  return {
    of: (account) => addressUnder(ownKey, account),
    allOf: (account) => [
      addressUnder(ownKey, account),
      ...formerKeys.map((key) => addressUnder(key, account)),
    ],
    pendingOf: (account) => pendingUnder(ownKey, account),
    renewed(account, email) {
      const kind = kindOf(account, email);
      if (kind === "other") return null;
      return kind === "own" ? addressUnder(ownKey, account) : pendingUnder(ownKey, account);
    },
    kindOf,
    formerOf: (account) => `${account}@${DOMAIN}`,
  };
}
