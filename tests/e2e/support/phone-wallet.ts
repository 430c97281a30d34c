import { decode, resolveCallback } from "hive-uri";
import { postingKey, signText } from "../../harness/form-access-token.ts";

/** A question that a wallet has read from a link, as its owner sees it. */
type Question = { message: string; account: string; authority: string; callback: string };

/** Reads a link as Keychain Mobile does, which takes the active key unless the link says otherwise. */
export function readLink(link: string): Question {
  const { tx, params } = decode(link);
  const { signer = "", authority = "active", callback = "" } = params;
  return { message: String(tx), account: signer, authority, callback };
}

/** Signs a question with the account's key, and returns the address that the wallet then opens. */
export function signQuestion({ message, account, authority, callback }: Question): string {
  const key = postingKey(account, authority as "posting");
  return resolveCallback(callback, { sig: signText(message, key) });
}
