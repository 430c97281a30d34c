import { encodeBase64 } from "./base64.ts";

const escapes: Readonly<Record<string, string>> = { "+": "-", "/": "_", "=": "." };

/** A transfer of the account that opens the link. */
export type LinkedTransfer = { to: string; amount: string; memo: string };

/** Returns the `hive://` link with which a wallet sends a transfer from the account that its user chooses. */
export function transferUri({ to, amount, memo }: LinkedTransfer): string {
  const operation = ["transfer", { from: "__signer", to, amount, memo }];
  const encoded = encodeBase64(new TextEncoder().encode(JSON.stringify(operation)));
  return `hive://sign/op/${encoded.replace(/[+/=]/g, (character) => escapes[character] ?? "")}`;
}
