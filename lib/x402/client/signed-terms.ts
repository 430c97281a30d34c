import { version2NameOf } from "../../chains.ts";
import { parseMils } from "../../mils.ts";
import { readAtomic } from "../amount.ts";
import { isWebAddress } from "../check-options.ts";
import { createKeyFinder } from "../offer-receipt/authorized-key.ts";
import { OFFER_RECEIPT } from "../offer-receipt/extension.ts";
import { readJws, type UnverifiedJws } from "../offer-receipt/read-jws.ts";
import { type Offer, termsOf } from "./choose-offer.ts";
import type { CheckedReceipt, ReceiptFault } from "./made-payment.ts";
import { PaymentError, type PaymentErrorCode } from "./payment-error.ts";
import { asRecord } from "./read-offers.ts";
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
   * paid for.
   */
  checkReceipt(
    extensions: unknown,
    paid: { url: string; account: string; network: string; resources: readonly unknown[]; nowMs: number },
  ): Promise<CheckedReceipt>;
};

/** Creates the part of a payer that verifies signatures, which is loaded with the first one. */
export function createSignedTerms(
  { keys = {}, required = false }: SignedOfferRules,
  fetcher: typeof fetch,
): SignedTerms {
  const findKey = createKeyFinder(keys, fetcher);

  const isAuthorized = async (jws: UnverifiedJws, url: string, signal?: AbortSignal): Promise<boolean> => {
    const { version, resourceUrl } = jws.terms;
    const site = new URL(isWebAddress(resourceUrl) ? resourceUrl : url);
    const key = version === 1 ? await findKey(jws, site, signal) : null;
    return key !== null && jws.isSignedBy(key);
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
      for (const jws of signed) {
        if (!jws || !isOfOffer(jws.terms, offer, url) || !(await isAuthorized(jws, url, signal))) continue;
        const { validUntil } = jws.terms;
        if (typeof validUntil !== "number" || validUntil === 0 || validUntil * 1000 >= nowMs) return;
        throw refuse("offer_expired", "The signed offer is no longer valid by the chain's clock.");
      }
      if (signed.length > 0)
        throw refuse(
          "offer_signature_invalid",
          "The offer differs from the signed one, or a key signed it that is not known to be the seller's.",
        );
    },

    async checkReceipt(extensions, { url, account, network, resources, nowMs }) {
      const { receipt } = asRecord(asRecord(asRecord(extensions)[OFFER_RECEIPT]).info);
      const { format, signature } = asRecord(receipt);
      if (format !== "jws") return { signedReceipt: null };
      const fault = (receiptFault: ReceiptFault) => ({ signedReceipt: null, receiptFault });
      const jws = readJws(signature);
      if (!jws) return fault("receipt_signature_invalid");
      const { payer, resourceUrl, issuedAt } = jws.terms;
      const isOfPayment = isOfNetwork(jws.terms, network) && payer === account;
      if (!isOfPayment || ![...resources, withoutQuery(url)].includes(resourceUrl))
        return fault("receipt_mismatch");
      if (!(await isAuthorized(jws, url))) return fault("receipt_signature_invalid");
      if (typeof issuedAt !== "number" || !(Math.abs(issuedAt * 1000 - nowMs) <= MAX_APART_MS))
        return fault("receipt_expired");
      return { signedReceipt: signature as string };
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
  const { scheme, asset, payTo, amount, resourceUrl } = terms;
  const amountMils = typeof amount === "string" ? (readAtomic(amount) ?? parseMils(amount)) : null;
  return (
    scheme === "exact" &&
    asset === "HBD" &&
    payTo === offer.payTo &&
    amountMils === offer.amountMils &&
    resourceUrl === (offer.resource ?? withoutQuery(url))
  );
}

/** Returns an address without its query, which offers leave out. */
function withoutQuery(url: string): string {
  return url.split(/[?#]/, 1)[0] ?? "";
}
