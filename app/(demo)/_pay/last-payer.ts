import { isPhone } from "../../../lib/wallet-links/is-phone.ts";
import { hasKeychain } from "../_session/keychain.ts";
import { keepText, readText } from "../_ui/kept-text.ts";

const LAST_PAYER = "hivegate.payer";

/** Stores the way that paid, so that the next payment offers it first. */
export const rememberPayer = (kind: "transfer" | "signature"): void => {
  keepText(LAST_PAYER, kind);
};

/** Returns whether a transfer that a wallet sends is the first choice: the way used last, or the one for phones. */
export function prefersTransfer(hasOwnAccounts: boolean): boolean {
  const last = readText(LAST_PAYER);
  return last === null ? !hasOwnAccounts && isPhone() && !hasKeychain() : last === "transfer";
}
