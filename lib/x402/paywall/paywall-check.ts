import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { offeredNames } from "../../chains.ts";
import { hasCode } from "../../errors.ts";
import { isAccountName } from "../../hive/account-name.ts";
import { parseMils } from "../../mils.ts";
import type { PaymentRequired, TransferOffer } from "../types.ts";
import { findCovering, subjectOf } from "./access.ts";
import { type AskedAddress, isBindable } from "./asked-address.ts";
import type { Claim } from "./claim.ts";
import { ClaimStoreError } from "./claim-store.ts";
import { createClaims } from "./claims.ts";
import {
  type Admitted,
  type PaywallDecision,
  type Refused,
  rejected,
  unavailable,
  unpaid,
} from "./decision.ts";
import { readmit } from "./deliver.ts";
import { createPaidTickets } from "./find-paid-tickets.ts";
import { createIdentifiedAnswer, type IdentifiedAnswer } from "./identified-answer.ts";
import { machineClock, type OfferClock } from "./offer-clock.ts";
import { type NonceOrigin, offerNonce, readNonceOfAny } from "./offer-nonce.ts";
import { createOpenTickets } from "./open-tickets.ts";
import { isPrice, type PaywallSettings } from "./options.ts";
import type { PaymentAttempt } from "./payment-attempt.ts";
import {
  type BroughtPayment,
  type BroughtTicket,
  bringTicket,
  type PaymentHeader,
  parsePaymentHeader,
} from "./read-payment.ts";
import { describeRefusal, describeReturns } from "./refusals.ts";
import { buildRequirements, endOfOffer } from "./requirements.ts";
import { createSignIn } from "./sign-in.ts";
import { type PaymentOutcome, takeClaimedPayment, takeNewPayment } from "./take-payment.ts";
import { takeTicket } from "./take-ticket.ts";
import { createTicket, readTicket, type TicketTerms } from "./ticket.ts";
import { buildTransferOffer, TRANSFER_SECONDS } from "./transfer-offer.ts";

const STORE_DOWN_SECONDS = 5;
const UNSEEN_SECONDS = 2;

/** A request as the core sees it. */
export type PaywallRequest<Request> = {
  method: string;
  address: AskedAddress;
  payment: PaymentHeader | null;
  /** The header of a sign-in by signature, over HTTP. */
  signIn?: string | null;
  isPreflight: boolean;
  /** The adapter's own request, for `amount` and `receivingAccount`. */
  raw: Request;
};

/**
 * Decides about a request. @throws only the errors of `amount`, `receivingAccount` and `access.key`, and
 * TypeError for invalid results of these functions and for examples of `discoverable` that do not match
 */
export type PaywallCheck<Request> = (request: PaywallRequest<Request>) => Promise<PaywallDecision>;

/** The terms of one request. */
type Terms = {
  /** The price, such as "0.050 HBD". */
  amount: string;
  payTo: string;
  /** The resource's name in the requirements, without the query, which can contain secrets. */
  address: string;
  /** Method and address, to which the payment is bound. */
  place: string;
  /** The name of the purchase. */
  subject: string;
  /** The extensions that describe the resource, if it may be listed. */
  extensions: Record<string, unknown> | null;
};

/**
 * Creates the core of a paywall: everything except the web server's own types. `onFault` receives the errors
 * of `access.account`.
 */
export function createPaywallCheck<Request>(
  settings: PaywallSettings<Request>,
  clock: OfferClock = machineClock,
  onFault: (error: unknown) => void = console.error,
): PaywallCheck<Request> {
  const claims = createClaims(settings.store);
  const signIns = createSignIn(settings, clock);
  const [chainName = settings.network] = settings.networks;
  const openTickets = createOpenTickets({
    store: settings.store,
    network: chainName,
    secrets: settings.secrets,
    nowMs: clock.latest,
  });
  const paidTickets = createPaidTickets({ openTickets, nodes: () => settings.pageChain.known().nodes });

  /**
   * Readmits an account with a purchase; if the request carries a payment, only the payer of that payment.
   */
  const letBackIn = async (raw: Request, terms: Terms, payer?: string): Promise<PaymentOutcome | null> => {
    const { subject, amount } = terms;
    if (!settings.access?.account) return null;
    try {
      const account = await settings.access.account(raw);
      // Sellers without TypeScript may return any empty value for "none".
      if (!account || account !== (payer ?? account)) return null;
      const purchase = await findCovering(settings.store, account, { subject, price: amount });
      if (purchase) return readmit(account, purchase.settlement);
      return payer === undefined ? await takePaidElsewhere(account, terms) : null;
    } catch (error) {
      if (!(error instanceof ClaimStoreError)) onFault(error);
      // An account that may have paid already is not asked to pay again because of an outage.
      return unavailable("degraded", STORE_DOWN_SECONDS);
    }
  };

  /** Readmits an account that signs in by signature, if it has a purchase. */
  const comeBack = async (signIn: string, terms: Terms): Promise<PaymentOutcome> => {
    const proven = await signIns.check(signIn, terms);
    if (typeof proven === "string") return unpaid(proven);
    if ("kind" in proven) return proven;
    const { account, use } = proven;
    try {
      const { subject, amount } = terms;
      const purchase = await findCovering(settings.store, account, { subject, price: amount });
      if (!purchase) return (await takePaidElsewhere(account, terms)) ?? unpaid("not_purchased");
      // The use is stored only for buyers, so that no one else can fill the store.
      return (await use()) ? readmit(account, purchase.settlement) : unpaid("invalid_siwx_nonce");
    } catch (error) {
      if (error instanceof ClaimStoreError) return unavailable("degraded", STORE_DOWN_SECONDS);
      throw error;
    }
  };

  const refuse = async (outcome: Exclude<PaymentOutcome, Admitted>, terms: Terms): Promise<Refused> => {
    if (outcome.kind !== "unpaid") return outcome;
    const [offersTransfer] = await Promise.all([settings.offersTransfers(), settings.pageChain.learn()]);
    const nowMs = clock.latest();
    const required = offerOf(settings, terms, outcome.code, nowMs);
    const { openTicket, returns, retryAfterSeconds } = outcome;
    const announced = signIns.announce(terms);
    const extensions = announced ? { ...required.extensions, ...announced } : required.extensions;
    const signedOffers = await settings.signer?.signOffers(required.accepts);
    return {
      kind: "payment-required",
      required: {
        ...required,
        ...(returns && {
          returns: [...returns],
          error: `${required.error} ${describeReturns(required.code, returns)}`,
        }),
        ...(offersTransfer && { transfer: transferOf(settings, terms, nowMs, openTicket) }),
        ...(extensions && { extensions }),
      },
      ...(signedOffers && { signedOffers }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    };
  };

  const take = async (
    { brought, identified }: { brought: BroughtPayment; identified: IdentifiedAnswer | null },
    terms: Terms,
    present: Claim | null,
  ): Promise<PaymentOutcome> => {
    const { amount, address, place, extensions } = terms;
    const resource = bytesToHex(sha256(new TextEncoder().encode(place)));
    const attemptOf = (isOfThisPlace: boolean): PaymentAttempt => ({
      ...{ settings, claims, clock, brought, resource, address, identified, extensions },
      purchase: purchaseOf(settings, terms, brought, isOfThisPlace, clock.earliest()),
      refuse: (outcome) => refuse(outcome, terms),
    });
    if (present) return takeClaimedPayment(attemptOf(false), present);
    const origin = readNonceOfAny(settings.secrets(), place, brought.nonce);
    const fault = findFault(brought, settings, terms, origin, clock.earliest());
    if (fault) return unpaid(fault);
    const offeredAtMs = origin.kind === "bound" ? origin.offeredAtMs : clock.latest();
    return takeNewPayment(attemptOf(origin.kind === "bound"), {
      phase: "settling",
      resource,
      validBefore: endOfOffer(offeredAtMs),
      amount,
      idempotencyKey: crypto.randomUUID(),
      ...(brought.holder !== undefined && { holder: brought.holder }),
    });
  };

  /** Takes a ticket of this place, on the terms that the ticket holds. */
  const takeHeld = async (
    brought: BroughtTicket & { foundFor?: string },
    held: TicketTerms,
    identified: IdentifiedAnswer | null,
    terms: Terms,
  ): Promise<PaymentOutcome> => {
    const { place, address, extensions, subject, amount: price } = terms;
    const { amount, payTo, endMs } = held;
    const resource = bytesToHex(sha256(new TextEncoder().encode(place)));
    return takeTicket(
      { ...brought, amount, payTo, endMs },
      {
        ...{ settings, claims, clock, resource, address, identified, extensions },
        // A ticket names its place, so it proves its payer, and its transfer was charged already.
        purchase: settings.access && {
          ...{ subject, price, seconds: settings.access.seconds, turnSeconds: 60, isProof: true },
        },
        refuse: (unused) => refuse(unused, terms),
      },
    );
  };

  /**
   * Takes the transfer that a proven account sent for an offer of this place, whose ticket was presented by another
   * browser. Whatever else comes of that ticket is not this account's business.
   */
  const takePaidElsewhere = async (account: string, terms: Terms): Promise<PaymentOutcome | null> => {
    if (!settings.access || !(await settings.offersTransfers())) return null;
    const { place } = terms;
    try {
      for (const ticket of await paidTickets.find(account, place)) {
        const held = readTicket(settings.secrets(), { network: chainName, place }, ticket);
        if (!held) continue;
        const brought = { ...bringTicket(ticket, settings.network), foundFor: account };
        const taken = await takeHeld(brought, held, null, terms);
        // The account's own history shows the transfer, so its block is about to be read.
        const isUnseen = taken.kind === "unpaid" && taken.code === "payment_not_seen" && !taken.returns;
        const outcome = isUnseen ? unavailable("settlement_pending", UNSEEN_SECONDS) : taken;
        if (outcome.kind === "unavailable") paidTickets.forget(account, place);
        if (outcome.kind !== "unpaid") return outcome;
      }
      return null;
    } catch (error) {
      if (!hasCode(error, "chain_unavailable")) throw error;
      // An account that may have paid already is not asked to pay again because of an outage.
      paidTickets.forget(account, place);
      return unavailable("sign_in_unavailable", STORE_DOWN_SECONDS);
    }
  };

  /** Takes the ticket of an offer of this place, and notes it while its transfer is not in a block yet. */
  const takeSent = async (
    { brought, identified }: { brought: BroughtTicket; identified: IdentifiedAnswer | null },
    terms: Terms,
    raw: Request,
  ): Promise<PaymentOutcome> => {
    const { place } = terms;
    const held = readTicket(settings.secrets(), { network: chainName, place }, brought.ticket);
    if (!held) return unpaid("invalid_claim");
    const outcome = await takeHeld(brought, held, identified, terms);
    const isOpen = outcome.kind === "unpaid" && outcome.openTicket !== undefined;
    // The browser that presents the ticket needs no note.
    if (isOpen && settings.access) await openTickets.note(brought.ticket, held).catch(() => {});
    const isUsed = outcome.kind === "unpaid" && outcome.code === "payment_replayed";
    const payer = isUsed ? (await claims.read(brought.id))?.settlement?.payer : undefined;
    return (payer !== undefined && (await letBackIn(raw, terms, payer))) || outcome;
  };

  const decide = async (
    { method, payment, signIn = null, raw }: PaywallRequest<Request>,
    terms: Terms,
  ): Promise<PaymentOutcome> => {
    // A HEAD delivers nothing, so it must not use up a payment.
    if (method === "HEAD") return unpaid("payment_required");
    if (payment === null) {
      const back = await letBackIn(raw, terms);
      if (back) return back;
      return signIn !== null && settings.access ? comeBack(signIn, terms) : unpaid("payment_required");
    }
    const brought = parsePaymentHeader(payment, settings.networks);
    if (typeof brought === "string") return unpaid(brought);
    const { identifier, holder } = brought;
    if (identifier === "malformed") return rejected("invalid_payment_identifier");
    const identified =
      identifier && createIdentifiedAnswer(settings.answers, terms.place, { identifier, holder });
    try {
      // Before verifying: the payment may be on the chain by now, or have expired.
      const earlier = await identified?.find();
      if (earlier === "conflict") return rejected("payment_identifier_used");
      if (earlier) return { kind: "answered", answer: earlier };
      if (brought.kind === "ticket") return await takeSent({ brought, identified }, terms, raw);
      const { payer } = brought;
      const present = await claims.read(brought.id);
      // An accepted payment delivers its own content first.
      const back = present?.settlement ? null : await letBackIn(raw, terms, payer);
      if (back) return back;
      const outcome = await take({ brought, identified }, terms, present);
      const isUsed = outcome.kind === "unpaid" && outcome.code === "payment_replayed";
      return (isUsed && (await letBackIn(raw, terms, payer))) || outcome;
    } catch (error) {
      if (error instanceof ClaimStoreError) return unavailable("degraded", STORE_DOWN_SECONDS);
      throw error;
    }
  };

  return async (request) => {
    // Clients use the public address, if one is set.
    const origin = settings.publicUrl ? new URL(settings.publicUrl).origin : request.address.origin;
    const asked = { origin, target: request.address.target };
    if (!isBindable(asked)) return rejected("invalid_target");
    if (request.isPreflight) return { kind: "preflight" };
    const terms = await readTerms(settings, request, asked);
    const outcome = await decide(request, terms);
    return outcome.kind === "admitted" ? outcome : refuse(outcome, terms);
  };
}

/**
 * @throws TypeError for an invalid result of one of the seller's functions, and the errors of these functions
 */
async function readTerms<Request>(
  settings: PaywallSettings<Request>,
  { method, raw }: PaywallRequest<Request>,
  { origin, target }: AskedAddress,
): Promise<Terms> {
  const amount = typeof settings.amount === "string" ? settings.amount : await settings.amount(raw);
  if (!isPrice(amount)) throw new TypeError('the price must be text such as "0.050 HBD"');
  const payTo = typeof settings.payTo === "string" ? settings.payTo : await settings.payTo(raw);
  if (!isAccountName(payTo)) throw new TypeError("the receiving account must be a chain account name");
  const place = `${method === "HEAD" ? "GET" : method} ${origin}${target}`;
  const { key = place } = settings.access ?? {};
  const bought = typeof key === "function" ? await key(raw) : key;
  if (typeof bought !== "string" || bought === "") throw new TypeError("access.key must return a string");
  const subject = subjectOf(settings.networks, bought);
  const extensions = (await settings.describe?.(method)) ?? null;
  return { amount, payTo, address: origin + target.split("?", 1)[0], place, subject, extensions };
}

/** Creates the message that asks for a payment, for the reason `code`. */
function offerOf(
  settings: PaywallSettings<never>,
  { amount, payTo, address, place, extensions }: Terms,
  code: string,
  nowMs: number,
): PaymentRequired & { code: string; error: string } {
  const terms = {
    amount,
    payTo,
    resource: address,
    validBefore: endOfOffer(nowMs),
    // All entries have the same nonce, because they are one offer, whichever is paid.
    extra: { nonce: offerNonce(settings.secrets()[0], place, nowMs) },
  };
  const accepts = offeredNames(settings.network).map((network) =>
    buildRequirements(settings, { ...terms, network }),
  );
  const error = describeRefusal(code, amount);
  const { service } = settings;
  return {
    ...{ x402Version: 1, error, code, accepts },
    ...(service && { resource: service }),
    ...(extensions && { extensions }),
  };
}

/** Creates the offer to pay by a sent transfer, with a new ticket unless one of these terms is still open. */
function transferOf(
  settings: PaywallSettings<never>,
  { amount, payTo, place }: Terms,
  nowMs: number,
  openTicket: string | undefined,
): TransferOffer {
  const [network = settings.network] = settings.networks;
  const [secret] = settings.secrets();
  const held = openTicket ? readTicket([secret], { network, place }, openTicket) : null;
  const isSame = held?.amount === amount && held.payTo === payTo && held.endMs > nowMs;
  const terms = { amount, payTo, place, endMs: nowMs + TRANSFER_SECONDS * 1000 };
  const ticket = openTicket && isSame ? openTicket : createTicket(secret, network, terms);
  return buildTransferOffer(ticket, { network: settings.network, amount, payTo });
}

/** Returns the purchase that a payment makes, if purchases are stored. */
function purchaseOf(
  { access }: PaywallSettings<never>,
  { subject, amount }: Terms,
  { transfer }: BroughtPayment,
  isOfThisPlace: boolean,
  nowMs: number,
): PaymentAttempt["purchase"] {
  if (!access) return null;
  const leftMs = transfer.expirationMs - nowMs;
  return {
    subject,
    price: amount,
    seconds: access.seconds,
    turnSeconds: turnSeconds(leftMs),
    // An expired payment may be public on the chain, where anyone can copy it. A payment for another place
    // could be presented here by the seller of that place.
    isProof: isOfThisPlace && leftMs > 0,
  };
}

/**
 * Returns how long a payment can still enter a block: at least a minute, for the remaining work, and at most
 * the life of a payment, even if the clock is wrong.
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
  if (transfer.amountMils !== parseMils(amount)) return "amount_mismatch";
  if (origin.kind === "elsewhere" || (origin.kind === "foreign" && settings.binding === "require"))
    return "nonce_mismatch";
  if (origin.kind === "bound" && Date.parse(endOfOffer(origin.offeredAtMs)) < nowMs)
    return "requirements_expired";
  return undefined;
}
