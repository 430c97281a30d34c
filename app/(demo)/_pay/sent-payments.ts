import { addMils, toMils } from "../../../lib/mils.ts";
import type { ClaimNews, ClaimRefusal } from "../../../lib/x402/client/watch-claims.ts";
import { CLAIMS, onPerson } from "../_session/person.ts";
import { toast } from "../_ui/toast.tsx";
import type { FailureKind } from "./failure.ts";
import { decodeHeader } from "./flow.ts";
import {
  amountOf,
  claimsFor,
  dropClaim,
  endClaim,
  type KeptClaim,
  keepClaim,
  openClaimFor,
} from "./kept-claims.ts";
import { rememberPayer } from "./last-payer.ts";
import { loadTransferOffer } from "./offer-summary.tsx";
import {
  beginPayment,
  changePayment,
  forgetPayment,
  isShown,
  type OngoingPayment,
  ongoingPayment,
  type Paid,
  type PaymentState,
  type Subject,
} from "./ongoing-payments.ts";
import type { Receipt } from "./receipt-card.tsx";
import { changeGuard } from "./spend-guard.ts";
import { strings } from "./strings.en.ts";
import type { Target } from "./target.ts";

/** A purchase that a sent transfer pays. */
type SentOrder = { target: Target; subject: Subject; amount: string; payee: string };

/** The payer is named by the transfer. */
const unnamed = { account: "", activeKey: null };
const asking: PaymentState = { kind: "busy", step: "ask", walletUntil: null };

/** The watches that go on whether or not a dialog shows them. */
const watching = new Map<string, AbortController>();
const keyOf = ({ method, url }: Target) => `${method} ${url}`;

// A user's claims are watched for that user alone.
onPerson(() => {
  for (const watch of watching.values()) watch.abort();
  watching.clear();
});

/** Shows where to send the price, with the claim of an earlier visit if it can still be paid. */
export async function beginTransfer(order: SentOrder): Promise<void> {
  const { target, subject, amount, payee } = order;
  const key = keyOf(target);
  const isReopened = ongoingPayment(key)?.isReopened ?? false;
  beginPayment(paymentOf(order, asking, { isReopened }));
  try {
    const kept = openClaimFor(target);
    const offer = kept ? kept.offer : await loadTransferOffer(target, { amount, payee });
    // Another page may have stored its claim meanwhile.
    const claim = kept ?? openClaimFor(target) ?? keepClaim(target, subject.title, offer);
    changePayment(key, { amount: amountOf(claim.offer), state: sendingOf(claim) });
    watch(target, subject);
  } catch (error) {
    fail(key, error instanceof TypeError ? "offline" : "refused");
  }
}

/** Goes on with the claims for a target that an earlier page showed, in view only if they can still be paid in time. */
export function resumeTransfer(target: Target, subject: Subject): void {
  const claim = openClaimFor(target);
  if (claim && !ongoingPayment(keyOf(target))) {
    const { payTo: payee } = claim.offer;
    const order = { target, subject, payee, amount: amountOf(claim.offer) };
    beginPayment(paymentOf(order, sendingOf(claim)));
  }
  watch(target, subject);
}

/** Leads back to the choice of ways to pay. The claim is still watched, because its transfer may have been sent. */
export const leaveTransfer = (target: Target): void => forgetPayment(keyOf(target));

const paymentOf = (
  { target, subject, amount, payee }: SentOrder,
  state: PaymentState,
  { isReopened = false }: { isReopened?: boolean } = {},
): OngoingPayment => ({
  ...{ key: keyOf(target), target, payer: unnamed, subject, amount, payee, state, flow: [] },
  ...{ isReopened, isHidden: false, isTakenUp: false },
});

const sendingOf = (claim: KeptClaim): PaymentState => ({
  kind: "sending",
  claim,
  isServed: true,
  returns: [],
});

/** Watches the claims for a target until one has bought it. */
function watch(target: Target, subject: Subject): void {
  const key = keyOf(target);
  if (watching.has(key)) return;
  const leaving = new AbortController();
  watching.set(key, leaving);
  const { signal } = leaving;
  void import("../../../lib/x402/client/watch-claims.ts")
    .then(({ watchClaims }) =>
      watchClaims<KeptClaim>({
        ...{ url: new URL(target.url, location.href).href, method: target.method, signal },
        lock: `${CLAIMS} ${key}`,
        ...{ read: () => claimsFor(target), drop: dropClaim, end: endClaim },
        onNews: (claim, news) => showNews(key, claim, news),
        onPaid: (claim, response) => takePaid(claim, response, subject),
        onRefused: async (claim, refusal) => showRefusal(key, claim, refusal),
        onNone() {
          if (stateOf(key)?.kind === "sending") fail(key, "sent_used");
        },
      }),
    )
    .catch(() => {
      // The user has left, or the part could not be loaded; the claim is stored for the next page.
    })
    .finally(() => {
      if (watching.get(key) === leaving) watching.delete(key);
    });
}

const stateOf = (key: string) => ongoingPayment(key)?.state;

/** Returns whether the claim is the one on view. */
const isOnView = (key: string, { offer }: KeptClaim): boolean => {
  const state = stateOf(key);
  return state?.kind === "sending" && state.claim.offer.extra.claim === offer.extra.claim;
};

function showNews(key: string, claim: KeptClaim, { isServed, returns }: ClaimNews): void {
  const state = stateOf(key);
  if (state?.kind !== "sending" || !isOnView(key, claim)) return;
  const isSame = state.isServed === isServed && JSON.stringify(state.returns) === JSON.stringify(returns);
  if (!isSame) changePayment(key, { state: { ...state, isServed, returns } });
}

/** @throws Error if the answer broke off */
async function takePaid(claim: KeptClaim, response: Response, subject: Subject): Promise<void> {
  const { target, offer } = claim;
  const body: unknown = await response.json();
  const settled = decodeHeader<Partial<Receipt>>(response.headers.get("x-payment-response"));
  const { payer = "", txId = "", blockNum = null, network = offer.network } = settled ?? {};
  const amount = amountOf(offer);
  const paid: Paid = { body, receipt: { payer, txId, blockNum, network, amount }, flow: [] };
  changeGuard((guard) => ({ ...guard, spentMils: addMils(guard.spentMils, toMils(Number(offer.amount))) }));
  rememberPayer("transfer");
  const key = keyOf(target);
  const payment = ongoingPayment(key);
  const isElsewhere = payment?.state.kind === "busy";
  if (isElsewhere || !isShown(key)) subject.keep(paid);
  // A payment in another way goes on, and shows its own end.
  if (isElsewhere) toast(subject.done(amount));
  else if (payment) changePayment(key, { isHidden: false, state: { kind: "paid", paid } });
  else beginPayment(paymentOf({ target, subject, amount, payee: offer.payTo }, { kind: "paid", paid }));
}

const ofRefusal: Readonly<Record<string, FailureKind | undefined>> = {
  payment_replayed: "sent_used",
  invalid_claim: "sent_unrecognized",
};

function showRefusal(key: string, claim: KeptClaim, { code }: ClaimRefusal): void {
  if (isOnView(key, claim)) fail(key, ofRefusal[code] ?? "sent_void");
  else if (code.startsWith("paid_")) toast.error(strings.failures.sent_void.text);
}

const fail = (key: string, failure: FailureKind) =>
  changePayment(key, {
    state: { kind: "failed", failure, requestId: null, said: null, mayGoOn: false },
  });
