import { version2NameOf } from "../../chains.ts";
import { parseMils } from "../../mils.ts";
import { readAtomic } from "../amount.ts";
import { isWebAddress } from "../check-options.ts";
import { type Authority, createAuthorityCheck } from "../offer-receipt/authorized-key.ts";
import { OFFER_RECEIPT } from "../offer-receipt/extension.ts";
import { readJws, type UnverifiedJws } from "../offer-receipt/read-jws.ts";
import { asRecord } from "./as-record.ts";
import { type Offer, termsOf } from "./choose-offer.ts";
import type { CheckedReceipt, ReceiptFault } from "./made-payment.ts";
import { PaymentError, type PaymentErrorCode } from "./payment-error.ts";
import type { SignedOfferRules } from "./signed-offer-rules.ts";

const MAX_OFFERS = 50;
/** The most that a receipt's time may differ from the chain's. */
const MAX_APART_MS = 3_600_000;

/** Verifies the terms that sellers sign. */
export type SignedTerms = {
  /**
   * Checks the signature of an offer that was found at `url`.
   * @throws PaymentError `offer_not_signed`, `offer_signature_invalid` or `offer_expired`; the signal's reason
   */
  checkOffer(offer: Offer, found: { url: string; nowMs: number; signal: AbortSignal }): Promise<void>;
  /**
   * Checks the signed receipt in the extensions of a settlement, if there is one. `resources` are the names of what was
   * paid for, `txIds` the ids that the payment's transaction can have.
   */
  checkReceipt(
    extensions: unknown,
    paid: {
      url: string;
      account: string;
      network: string;
      resources: readonly unknown[];
      txIds: readonly string[];
      /** Returns the chain's time. */
      now: () => Promise<number>;
    },
  ): Promise<CheckedReceipt>;
};

/** Creates the part of a payer that verifies signatures, which is loaded with the first one. */
export function createSignedTerms(
  { keys = {}, required = false }: SignedOfferRules,
  fetcher: typeof fetch,
): SignedTerms {
  const checkAuthority = createAuthorityCheck(keys, fetcher);

  const authorityOf = async (jws: UnverifiedJws, url: string, signal?: AbortSignal): Promise<Authority> => {
    const { version, resourceUrl } = jws.terms;
    const site = new URL(isWebAddress(resourceUrl) ? resourceUrl : url);
    return version === 1 ? checkAuthority(jws, site, signal) : "refuted";
  };

  /** Returns the fault of a receipt, if it has one. */
  const faultOf = async (
    jws: UnverifiedJws | null,
    { url, account, network, resources, txIds, now }: Parameters<SignedTerms["checkReceipt"]>[1],
  ): Promise<ReceiptFault | undefined> => {
    if (!jws) return "receipt_signature_invalid";
    const { payer, resourceUrl, issuedAt, transaction = "" } = jws.terms;
    const isOfPayment =
      isOfNetwork(jws.terms, network) &&
      payer === account &&
      typeof resourceUrl === "string" &&
      [...resources, withoutQuery(url)].includes(resourceUrl) &&
      (transaction === "" || txIds.some((id) => id === transaction));
    if (!isOfPayment) return "receipt_mismatch";
    const authority = await authorityOf(jws, url);
    if (authority === "unavailable") return "receipt_unverifiable";
    if (authority === "refuted") return "receipt_signature_invalid";
    const nowMs = await now().catch(() => null);
    if (nowMs === null) return "receipt_unverifiable";
    if (typeof issuedAt !== "number" || !(Math.abs(issuedAt * 1000 - nowMs) <= MAX_APART_MS))
      return "receipt_expired";
    return undefined;
  };

  return {
    async checkOffer(offer, { url, nowMs, signal }) {
      const refuse = (code: PaymentErrorCode, message: string) =>
        new PaymentError(code, message, { offer: termsOf(offer) });
      // Signed offers for other chains say nothing about this one.
      const signed = offersIn(offer.extensions).filter(
        (jws) => typeof jws?.terms.network !== "string" || isOfNetwork(jws.terms, offer.network),
      );
      if (signed.length === 0 && required)
        throw refuse("offer_not_signed", "The seller did not sign the offer.");
      let hasExpired = false;
      for (const jws of signed) {
        if (!jws || !isOfOffer(jws.terms, offer, url)) continue;
        if ((await authorityOf(jws, url, signal)) !== "confirmed") continue;
        if (endOf(jws.terms) * 1000 >= nowMs) return;
        hasExpired = true;
      }
      if (hasExpired)
        throw refuse("offer_expired", "The signed offer is no longer valid by the chain's clock.");
      if (signed.length > 0)
        throw refuse(
          "offer_signature_invalid",
          "The offer differs from the signed one, or a key signed it that is not known to be the seller's.",
        );
    },

    async checkReceipt(extensions, paid) {
      const { receipt } = asRecord(asRecord(asRecord(extensions)[OFFER_RECEIPT]).info);
      const { format, signature } = asRecord(receipt);
      if (format !== "jws") return { signedReceipt: null };
      const jws = readJws(signature);
      const receiptFault = await faultOf(jws, paid);
      if (receiptFault === undefined) return { signedReceipt: signature as string };
      return {
        ...{ signedReceipt: null, receiptFault },
        ...(jws && { refusedReceipt: signature as string }),
      };
    },
  };
}

/** Returns the signed offers among extensions; `null` stands for one that is not a JWS. */
function offersIn(extensions: unknown): Array<UnverifiedJws | null> {
  const { offers } = asRecord(asRecord(asRecord(extensions)[OFFER_RECEIPT]).info);
  if (!Array.isArray(offers)) return [];
  return offers
    .slice(0, MAX_OFFERS)
    .map(asRecord)
    .filter(({ format }) => format === "jws")
    .map(({ signature }) => readJws(signature));
}

const isOfNetwork = ({ network }: UnverifiedJws["terms"], paid: string) =>
  network === paid || network === version2NameOf(paid);

/** Returns whether signed terms are those of an offer that was found at an address. */
function isOfOffer(terms: UnverifiedJws["terms"], offer: Offer, url: string): boolean {
  const { scheme, asset, payTo, amount, resourceUrl, validUntil } = terms;
  const amountMils = typeof amount === "string" ? (readAtomic(amount) ?? parseMils(amount)) : null;
  return (
    scheme === "exact" &&
    asset === "HBD" &&
    payTo === offer.payTo &&
    amountMils === offer.amountMils &&
    resourceUrl === (offer.resource ?? withoutQuery(url)) &&
    (validUntil === undefined || typeof validUntil === "number")
  );
}

/** Returns the end of a signed offer, in seconds since 1970. Without one, or with 0, it never ends. */
function endOf({ validUntil }: UnverifiedJws["terms"]): number {
  return typeof validUntil === "number" && validUntil !== 0 ? validUntil : Number.POSITIVE_INFINITY;
}

/** Returns an address without its query, which offers leave out. */
function withoutQuery(url: string): string {
  return url.split(/[?#]/, 1)[0] ?? "";
}
