import { encodeBase64u } from "./base64.ts";

/** An operation of the chain, such as `["transfer", { from, to, amount, memo }]`. */
export type Operation = readonly [name: string, fields: object];

export type HiveLinkOptions = {
  /** The account that signs; without it, the wallet offers its own. */
  account?: string;
  /** The key that signs. Wallets take the active key unless a link says otherwise. */
  authority?: "posting" | "active";
  /** The address that the wallet opens afterwards, by https. It may contain `{{sig}}` and `{{id}}`. */
  callback?: string;
};

/**
 * Creates a link that has a wallet such as Keychain Mobile sign a text, by default with the posting key. `{{sig}}` in
 * the callback becomes the signature.
 */
export const hiveMessageLink = (message: string, options: HiveLinkOptions = {}): string =>
  hiveLink("msg", message, { authority: "posting", ...options });

/** Creates a link that has a wallet sign and send an operation. `{{id}}` in the callback becomes the transaction's id. */
export const hiveOperationLink = (operation: Operation, options: HiveLinkOptions = {}): string =>
  hiveLink("op", operation, options);

/** Creates a link that has a wallet sign a transaction without sending it. `{{sig}}` becomes the signature. */
export const hiveTransactionLink = (transaction: object, options: HiveLinkOptions = {}): string =>
  hiveLink("tx", transaction, options, ["nb="]);

function hiveLink(
  kind: "msg" | "op" | "tx",
  content: unknown,
  { account, authority, callback }: HiveLinkOptions,
  flags: readonly string[] = [],
): string {
  const query = [
    ...flags,
    ...(account === undefined ? [] : [`s=${encodeURIComponent(account)}`]),
    ...(callback === undefined ? [] : [`cb=${encodeBase64u(callback)}`]),
    ...(authority === undefined ? [] : [`a=${authority}`]),
  ];
  const path = `hive://sign/${kind}/${encodeBase64u(JSON.stringify(content))}`;
  return query.length > 0 ? `${path}?${query.join("&")}` : path;
}
