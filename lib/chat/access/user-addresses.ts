import { createHmac } from "node:crypto";
import { deriveSecret, type Secret } from "../../secret.ts";

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
  /** What only the gateway can give too: a user has it until everybody else is shut out of it. */
  pendingOf(account: string): string;
  /** What earlier versions gave: anybody who signs up may choose it, so it proves nothing alone. */
  formerOf(account: string): string;
};

/** The addresses under the session secret. */
export function createUserAddresses(secret: Secret): UserAddresses {
  const key = deriveSecret(secret, "chat user address");
  const tagOf = (account: string) =>
    createHmac("sha256", key).update(account).digest("hex").slice(0, TAG_LENGTH);
  return {
    of: (account) => `${account}.${tagOf(account)}@${DOMAIN}`,
    pendingOf: (account) => `${account}.${tagOf(`pending ${account}`)}@${DOMAIN}`,
    formerOf: (account) => `${account}@${DOMAIN}`,
  };
}
