import { decode, resolveTransaction } from "hive-uri";
import { readMils } from "../../lib/mils.ts";
import { sendTransfer } from "./send-transfer.ts";

/** A transfer that a wallet has read from a link, and the address that it opens once the transfer is sent. */
export type AskedTransfer = { to: string; mils: number; memo: string; returnTo: string | null };

/** Reads a link as the wallet that it opens does: Keychain and other wallets of `hive://`, Ecency, or HiveSigner. */
export function readTransferLink(link: string, owner: string): AskedTransfer {
  if (link.startsWith("hive://")) {
    const { tx, params } = decode(link);
    const opened = resolveTransaction(tx, params, {
      ...{ signers: [owner], preferred_signer: owner },
      ...{ ref_block_num: 1, ref_block_prefix: 2, expiration: "2026-01-31T12:00:00" },
    });
    const [[, { to, amount, memo }]] = opened.tx.operations as unknown as [
      [string, { to: string; amount: string; memo: string }],
    ];
    return { to, mils: readMils(amount), memo, returnTo: null };
  }
  const { searchParams: fields, protocol, hostname, pathname } = new URL(link);
  const field = (name: string) => fields.get(name) ?? "";
  if (`${protocol}//${hostname}${pathname}` === "ecency://transfer")
    return {
      to: field("to"),
      mils: readMils(`${field("amount")} ${field("asset")}`),
      memo: field("memo"),
      returnTo: null,
    };
  if (`${protocol}//${hostname}${pathname}` === "https://hivesigner.com/sign/transfer")
    return {
      to: field("to"),
      mils: readMils(field("amount")),
      memo: field("memo"),
      returnTo: fields.get("redirect_uri"),
    };
  throw new Error(`no wallet opens ${link}`);
}

/** Sends the transfer of a link from its owner's account, and returns the transfer with its transaction's id. */
export async function followLink(
  chain: Parameters<typeof sendTransfer>[0],
  link: string,
  owner = "bob",
): Promise<AskedTransfer & { txId: string }> {
  const asked = readTransferLink(link, owner);
  const { to, mils, memo } = asked;
  return { ...asked, txId: await sendTransfer(chain, { from: owner, to, mils, memo }) };
}
