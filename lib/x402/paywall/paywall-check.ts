import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { offeredNames } from "../../chains.ts";
import { isAccountName } from "../../hive/account-name.ts";
import { parseMillis } from "../amount.ts";
import { findPurchase, isAtMost, keepPurchase, purchaseKeyOf, subjectOf } from "./access.ts";
import { type AskedAddress, isBindable } from "./asked-address.ts";
import { type Claim, ClaimStoreError, createClaims } from "./claims.ts";
import { machineClock, type OfferClock } from "./offer-clock.ts";
import { type NonceOrigin, offerNonce, readNonceOfAny } from "./offer-nonce.ts";
import { isPrice, type PaywallSettings } from "./options.ts";
import { type BroughtPayment, type PaymentHeader, parsePaymentHeader } from "./read-payment.ts";
import { describeRefusal } from "./refusals.ts";
import { buildRequirements, endOfOffer } from "./requirements.ts";
import {
  type PaymentAttempt,
  type PaywallDecision,
  readmit,
  takeClaimedPayment,
  takeNewPayment,
  unavailable,
} from "./take-payment.ts";

const STORE_DOWN_SECONDS = 5;

/** A request as the core sees it. */
export type PaywallRequest<Request> = {
  method: string;
  address: AskedAddress;
  payment: PaymentHeader | null;
  isPreflight: boolean;
  /** The adapter's own request, for `amount` and `receivingAccount`. */
  raw: Request;
};

/**
 * Decides about a request. @throws only the errors of `amount`, `receivingAccount` and `access.key`, and TypeError for
 * invalid results of these
 */
export type PaywallCheck<Request> = (request: PaywallRequest<Request>) => Promise<PaywallDecision>;

/**
 * Creates the core of a paywall: everything but the web server's own types. `onFault` receives the errors of
 * `access.account`.
 */
export function createPaywallCheck<Request>(
  settings: PaywallSettings<Request>,
  clock: OfferClock = machineClock,
  onFault: (error: unknown) => void = console.error,
): PaywallCheck<Request> {
  const claims = createClaims(settings.store);

  const decide: PaywallCheck<Request> = async ({ method, address: asked, payment, isPreflight, raw }) => {
    // Clients use the public address, if one is set.
    const origin = settings.publicUrl ? new URL(settings.publicUrl).origin : asked.origin;
    const { target } = asked;
    if (!isBindable({ origin, target })) return { kind: "invalid-target" };
    if (isPreflight) return { kind: "preflight" };
    const amount = typeof settings.amount === "string" ? settings.amount : await settings.amount(raw);
    if (!isPrice(amount)) throw new TypeError('the price must be text such as "0.050 HBD"');
    const payTo = typeof settings.payTo === "string" ? settings.payTo : await settings.payTo(raw);
    if (!isAccountName(payTo)) throw new TypeError("the receiving account must be a chain account name");
    // The query may contain secrets: the payment is bound to it, but it is not shown.
    const address = origin + target.split("?", 1)[0];
    const place = `${method === "HEAD" ? "GET" : method} ${origin}${target}`;

    const refuse = (code: string): PaywallDecision => {
      const terms = {
        amount,
        payTo,
        resource: address,
        validBefore: endOfOffer(clock.latest()),
        // One nonce for all entries: whichever is paid, it is the same offer.
        extra: { nonce: offerNonce(settings.secrets()[0], place, clock.latest()) },
      };
      const accepts = offeredNames(settings.network).map((network) =>
        buildRequirements(settings, { ...terms, network }),
      );
      const error = describeRefusal(code, amount);
      return { kind: "payment-required", required: { x402Version: 1, error, code, accepts } };
    };

    const { access, store } = settings;
    const { key = place } = access ?? {};
    const bought = typeof key === "function" ? await key(raw) : key;
    if (typeof bought !== "string" || bought === "") throw new TypeError("access.key must return a text");
    const subject = subjectOf(settings.networks, bought);
    /** Returns an account's earlier purchase, unless this costs more than was paid for that. */
    const findCovering = async (account: string) => {
      const purchase = await findPurchase(store, account, subject);
      return purchase && isAtMost(amount, purchase.amount) ? purchase : null;
    };
    /** Readmits an account with a purchase; if the request brings a payment, only its payer. */
    const letBackIn = async (payer?: string): Promise<PaywallDecision | null> => {
      if (!access) return null;
      try {
        const account = await access.account(raw);
        // Untyped callers express "none" in other ways too.
        if (!account || account !== (payer ?? account)) return null;
        const purchase = await findCovering(account);
        return purchase && readmit(account, purchase.settlement);
      } catch (error) {
        if (!(error instanceof ClaimStoreError)) onFault(error);
        // An account that may have paid already is not asked to pay again because of an outage.
        return unavailable("degraded", STORE_DOWN_SECONDS);
      }
    };

    // A HEAD delivers nothing, so it must not use up a payment.
    if (method === "HEAD") return refuse("payment_required");
    if (payment === null) return (await letBackIn()) ?? refuse("payment_required");
    const brought = parsePaymentHeader(payment, settings.networks);
    if (typeof brought === "string") return refuse(brought);
    const resource = bytesToHex(sha256(new TextEncoder().encode(place)));
    const { from, expirationMs } = brought.transfer;
    const buying = (seconds: number, isOfThisPlace: boolean): PaymentAttempt["purchase"] => {
      const key = purchaseKeyOf(from, subject);
      const leftMs = expirationMs - clock.earliest();
      const endTurn = () => claims.endTurn(key, brought.id);
      return {
        takeTurn: () => claims.takeTurn(key, brought.id, turnSeconds(leftMs)),
        endTurn,
        find: () => findCovering(from),
        // An expired payment may be public on the chain, where anyone can copy it. A payment for another place could be
        // presented here by the seller there.
        isProof: isOfThisPlace && leftMs > 0,
        async remember(settlement, amount) {
          const purchase = { settlement, amount, paidAt: new Date(clock.latest()).toISOString() };
          await keepPurchase(store, { account: from, subject, seconds, purchase });
          void endTurn();
        },
      };
    };
    const attemptWith = (isOfThisPlace: boolean): PaymentAttempt => ({
      ...{ settings, claims, brought, resource, address, refuse },
      ...(access && { purchase: buying(access.seconds, isOfThisPlace) }),
    });
    const take = async (present: Claim | null): Promise<PaywallDecision> => {
      if (present) return takeClaimedPayment(attemptWith(false), present);
      const origin = readNonceOfAny(settings.secrets(), place, brought.nonce);
      const fault = findFault(brought, settings, { amount, payTo }, origin, clock.earliest());
      if (fault) return refuse(fault);
      const offeredAtMs = origin.kind === "bound" ? origin.offeredAtMs : clock.latest();
      return takeNewPayment(attemptWith(origin.kind === "bound"), {
        phase: "settling",
        resource,
        validBefore: endOfOffer(offeredAtMs),
        amount,
        idempotencyKey: crypto.randomUUID(),
        ...(brought.holder !== undefined && { holder: brought.holder }),
      });
    };
    try {
      const present = await claims.read(brought.id);
      // An accepted payment brings its own content first.
      const back = present?.settlement ? null : await letBackIn(from);
      if (back) return back;
      const decision = await take(present);
      const isUsed = decision.kind === "payment-required" && decision.required.code === "payment_replayed";
      return (isUsed && (await letBackIn(from))) || decision;
    } catch (error) {
      if (error instanceof ClaimStoreError) return unavailable("degraded", STORE_DOWN_SECONDS);
      throw error;
    }
  };

  return async (request) => {
    const decision = await decide(request);
    if (decision.kind === "payment-required") await settings.pageChain.learn();
    return decision;
  };
}

/**
 * As long as a payment may still enter a block, plus time for the remaining work; no wrong clock extends it beyond the
 * life of a payment.
 */
const turnSeconds = (leftMs: number) => Math.min(Math.max(Math.ceil(leftMs / 1000), 60), 600);

/** Checks whether a new payment is for this offer; returns the code of its first fault. */
function findFault(
  { transfer }: BroughtPayment,
  settings: PaywallSettings<never>,
  { amount, payTo }: { amount: string; payTo: string },
  origin: NonceOrigin,
  nowMs: number,
): string | undefined {
  if (transfer.to !== payTo) return "recipient_mismatch";
  if (transfer.amountMillis !== parseMillis(amount)) return "amount_mismatch";
  if (origin.kind === "elsewhere" || (origin.kind === "foreign" && settings.binding === "require"))
    return "nonce_mismatch";
  if (origin.kind === "bound" && Date.parse(endOfOffer(origin.offeredAtMs)) < nowMs)
    return "requirements_expired";
  return undefined;
}
