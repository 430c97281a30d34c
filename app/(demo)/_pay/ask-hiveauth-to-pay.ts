import type { HiveAuthTransferOptions } from "../../../lib/wallet-links/index.ts";
import { CLAIMS } from "../_session/person.ts";
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
 * Begins this page's turn to ask for a claim, and returns a function that ends it; null during the turn of another page.
 * Turns outlast the answer, because a browser may show the mark of an asked claim to other pages late.
 */
async function beginTurn({ offer }: KeptClaim): Promise<(() => void) | null> {
  // Pages without a secure origin have no locks.
  if (!navigator.locks) return () => {};
  return new Promise((resolve, reject) => {
    const hold = (lock: Lock | null) =>
      new Promise<void>((end) => {
        resolve(lock && end);
        if (!lock) end();
      });
    navigator.locks.request(`${CLAIMS} asks ${offer.extra.memo}`, { ifAvailable: true }, hold).catch(reject);
  });
}

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
  let isAnotherAsking = false;
  let endTurn = () => {};
  try {
    const txId = await sendTransferByHiveAuth({
      ...{ relay, app: location.host, signal },
      withinMs: Math.min(ASK_MS, claim.endsAtMs - nowMs()),
      transfer: { from: account, to, amount: amountOf(claim.offer), memo: extra.memo },
      onQuestion: ({ link }) => onLink(link),
      async onAsking() {
        const end = await beginTurn(claim);
        isAnotherAsking = end === null;
        endTurn = end ?? endTurn;
        signal.throwIfAborted();
        // Another page of this browser may have asked meanwhile.
        if (isAnotherAsking || !markClaimAsked(claim)) throw new Error("The wallet has been asked already.");
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
    if (isAnotherAsking || isClaimAsked(claim)) return "asked";
    throw error;
  } finally {
    endTurn();
  }
}
