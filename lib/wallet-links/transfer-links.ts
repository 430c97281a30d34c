import { ecencyTransferLink } from "./ecency-links.ts";
import { hiveOperationLink } from "./hive-links.ts";
import { hivesignerOperationLink } from "./hivesigner-links.ts";

/** A transfer of the account that opens the link. */
export type LinkedTransfer = {
  to: string;
  /** Such as `0.050 HBD`. */
  amount: string;
  memo: string;
};

/** A wallet that sends a transfer once its owner opens a link: Keychain Mobile, Ecency Mobile, or HiveSigner. */
export type TransferWallet = "keychain" | "ecency" | "hivesigner";

/** The names of these wallets, which are the same in every language. */
export const walletNames: Readonly<Record<TransferWallet, string>> = {
  keychain: "Keychain",
  ecency: "Ecency",
  hivesigner: "HiveSigner",
};

/** Creates the `hive://` link with which a wallet sends a transfer from the account that its owner chooses. */
export const hiveTransferLink = ({ to, amount, memo }: LinkedTransfer): string =>
  hiveOperationLink(["transfer", { from: "__signer", to, amount, memo }]);

/**
 * Creates the links with which wallets send a transfer from the account that their owner chooses. HiveSigner then
 * opens `returnTo`; the apps leave their owner to come back.
 */
export const transferLinks = (
  { to, amount, memo }: LinkedTransfer,
  { returnTo }: { returnTo?: string } = {},
): Readonly<Record<TransferWallet, string>> => ({
  keychain: hiveTransferLink({ to, amount, memo }),
  ecency: ecencyTransferLink({ to, amount, memo }),
  hivesigner: hivesignerOperationLink(
    ["transfer", { to, amount, memo }],
    returnTo ? { redirectUri: returnTo } : {},
  ),
});
