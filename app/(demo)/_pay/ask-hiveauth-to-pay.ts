import type { HiveAuthTransferOptions } from "../../../lib/wallet-links/index.ts";
import {
  amountOf,
  isClaimAsked,
  type KeptClaim,
  markClaimAsked,
  nowMs,
  unmarkClaimAsked,
} from "./kept-claims.ts";

/** The reason why a wallet sent nothing; null if the page stopped asking. */
export type Unsent = Parameters<NonNullable<HiveAuthTransferOptions["onUnsent"]>>[0] | null;

/** The time for which a wallet is asked; its transfer is awaited for longer. */
const ASK_MS = 300_000;

/**
 * Has a wallet of HiveAuth send the transfer of a claim. The pages of this browser ask for each claim once at most, unless
 * the wallet proved that it sent nothing. Returns "asked" if it may have sent the transfer. Neither relay nor wallet gets
 * the claim.
 */
export async function askHiveAuthToPay(
  claim: KeptClaim,
  {
    relay,
    account,
    onLink,
    onAsking,
    signal,
  }: {
    relay: string;
    account: string;
    /** Receives the link that the wallet opens, each time that it changes. */
    onLink: (link: string) => void;
    /** Called before the wallet, which has admitted the page, is asked to send. */
    onAsking: () => void;
    signal: AbortSignal;
  },
): Promise<"asked" | Unsent> {
  const { sendTransferByHiveAuth } = await import("../../../lib/wallet-links/index.ts");
  if (isClaimAsked(claim)) return "asked";
  const { payTo: to, extra } = claim.offer;
  let unsent: Unsent = null;
  let hasAsked = false;
  try {
    const txId = await sendTransferByHiveAuth({
      ...{ relay, app: location.host, signal },
      withinMs: Math.min(ASK_MS, claim.endsAtMs - nowMs()),
      transfer: { from: account, to, amount: amountOf(claim.offer), memo: extra.memo },
      onQuestion: ({ link }) => onLink(link),
      onAsking() {
        // Another page of this browser may have asked meanwhile.
        if (!markClaimAsked(claim)) throw new Error("The wallet has been asked already.");
        hasAsked = true;
        onAsking();
      },
      onUnsent(reason) {
        unsent = reason;
      },
    });
    if (txId !== null) return "asked";
    if (hasAsked) unmarkClaimAsked(claim);
    return unsent;
  } catch (error) {
    if (isClaimAsked(claim)) return "asked";
    throw error;
  }
}
