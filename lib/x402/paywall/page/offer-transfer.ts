import { formatMils, toMils } from "../../../mils.ts";
import { type ClaimNews, type ClaimRefusal, watchClaims } from "../../client/watch-claims.ts";
import type { PaymentRequired, TransferOffer, TransferReturn } from "../../types.ts";
import { fill } from "../payment-page-texts.ts";
import { data, texts } from "./data.ts";
import { byId, say } from "./elements.ts";
import { dropClaim, endClaim, type KeptClaim, keepClaim, nowMs, readClaims } from "./kept-claims.ts";
import { readPayments } from "./kept-payments.ts";
import type { PageData } from "./page-data.ts";
import { takeContent } from "./take-content.ts";
import { hideTransfer, rememberWallet, sayOfTransfer, showTransfer } from "./transfer-panel.ts";

type OfferData = Extract<PageData, { bought?: undefined }>;

/** The claim on view. */
let shown: KeptClaim | null = null;
let isWatching = false;

const termsOf = ({ amount, payTo, extra }: TransferOffer) => ({
  to: payTo,
  amount: formatMils(toMils(Number(amount))),
  memo: extra.memo,
});

/**
 * Offers payment by a transfer that the payer's wallet sends, and takes up claims of earlier visits. `onElsewhere` is
 * called if another page of this browser has opened the content.
 */
export function offerTransfer({ offer, sends }: OfferData, onElsewhere: () => void): void {
  const end = () => {
    if (!shown) return;
    shown = null;
    hideTransfer();
  };
  const watch = () => {
    if (isWatching) return;
    isWatching = true;
    const watched = watchClaims<KeptClaim>({
      ...{ url: location.href, lock: `x402-claims:${location.href}` },
      ...{ read: () => readClaims(), drop: dropClaim, end: endClaim },
      onNews: (claim, news) => {
        if (isShown(claim)) sayOfTransfer(describeNews(claim, news));
      },
      async onPaid(claim, response) {
        if (isShown(claim)) rememberWallet();
        await takeContent(response, "sent", termsOf(claim.offer).amount).catch((error: Error) => {
          say(error.message);
          throw error;
        });
        end();
      },
      async onRefused(claim, refusal) {
        const isOnView = isShown(claim);
        if (isOnView) end();
        if (refusal.code === "payment_replayed") onElsewhere();
        if (isOnView || refusal.returns.length > 0) say(await describeRefusal(refusal));
      },
      onNone() {
        if (!shown) return;
        end();
        onElsewhere();
      },
    });
    void watched.finally(() => {
      isWatching = false;
    });
  };
  const watchKept = () => {
    if (readClaims().length > 0) watch();
  };
  // A server that offers none, such as while its facilitator finds none, still takes what earlier visits have paid.
  if (!offer || !sends) {
    watchKept();
    return;
  }
  const show = (claim: KeptClaim) => {
    shown = claim;
    sayOfTransfer(texts.awaiting);
    showTransfer(termsOf(claim.offer), claim.endsAtMs, () => sayOfTransfer(""));
    watch();
  };
  const start = async () => {
    const kept = openClaim();
    if (kept) return show(kept);
    // A signed payment may still be charged.
    if (readPayments().length > 0) throw new Error(texts.slow);
    const fresh = await askOffer();
    const { to, amount } = termsOf(fresh);
    if (to !== offer.payTo || amount !== offer.maxAmountRequired) throw new Error(texts.changed);
    // A page beside this one may have stored its claim meanwhile.
    show(openClaim() ?? keepClaim(fresh));
  };
  const work = (button: HTMLButtonElement) => {
    button.disabled = true;
    say("");
    start()
      .catch((error: Error) => say(error instanceof TypeError ? texts.unreachable : error.message))
      .finally(() => {
        button.disabled = false;
      });
  };
  const begin = byId<HTMLButtonElement>("begin");
  begin.hidden = false;
  begin.onclick = () => work(begin);
  const renew = byId<HTMLButtonElement>("renew");
  renew.onclick = () => work(renew);
  // The claim is still watched, because its transfer may have been sent.
  byId("leave").onclick = end;
  const open = openClaim();
  if (open) show(open);
  else watchKept();
}

const isShown = ({ offer }: KeptClaim) => offer.extra.claim === shown?.offer.extra.claim;

/** Returns the claim that can still be paid in time, so that no second one is shown for the same purchase. */
function openClaim(): KeptClaim | undefined {
  const last = readClaims().at(-1);
  return last && last.endsAtMs > nowMs() ? last : undefined;
}

async function askOffer(): Promise<TransferOffer> {
  const response = await fetch(location.href, {
    headers: { accept: "application/json" },
    cache: "no-store",
  });
  const { transfer = null } = response.status === 402 ? ((await response.json()) as PaymentRequired) : {};
  if (!transfer) throw new Error(texts.changed);
  return transfer;
}

function describeNews(claim: KeptClaim, { isServed, returns }: ClaimNews): string {
  const isOpen = claim.endsAtMs > nowMs();
  if (returns.length > 0)
    return `${describeReturns(returns)}${isOpen ? fill(texts.sendRight, termsOf(claim.offer)) : ""}`;
  if (!isServed) return texts.noServer;
  return isOpen ? texts.awaiting : "";
}

async function describeRefusal({ code, response, returns }: ClaimRefusal): Promise<string> {
  const told = describeReturns(returns);
  if (code === "invalid_claim") return texts.unrecognized;
  const refusal = ("refusals" in data && data.refusals[code]) || (await readError(response));
  return [refusal, told].filter((text) => text !== "").join(" ");
}

const readError = async (response: Response): Promise<string> => {
  const { error = texts.refused } = (await response.json().catch(() => ({}))) as PaymentRequired;
  return error;
};

/** Says of each wrong transfer what was wrong with it, and what becomes of it. */
const describeReturns = (returns: readonly TransferReturn[]): string =>
  returns
    .map(({ payer, amount, cause, state }) => [fill(texts[cause], { payer, amount }), texts[state]].join(" "))
    .join(" ");
