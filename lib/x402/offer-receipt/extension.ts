/**
 * The extension by which sellers sign their offers and receipts, as its official text describes it at commit
 * 22f5251431a148a1a91b1a521f49581211170af7 of x402-foundation/x402. That text calls its wire format unstable.
 */
export const OFFER_RECEIPT = "offer-receipt";

/** A signed offer or receipt. Those in another format, `eip712`, are for other chains. */
export type SignedArtifact = {
  format: "jws";
  /** The place of an offer in `accepts`. It is not signed. */
  acceptIndex?: number;
  /** A JWS in its compact form, which contains the terms. */
  signature: string;
};

/** The terms in a signed offer. */
export type OfferTerms = {
  version: 1;
  resourceUrl: string;
  scheme: string;
  /** The chain's name in version 2. */
  network: string;
  asset: string;
  payTo: string;
  /** The amount as the offer spells it: "0.050 HBD" in version 1, and "50" in version 2. */
  amount: string;
  /** The end of the offer, in seconds since 1970. */
  validUntil: number;
};

/** The terms in a signed receipt. */
export type ReceiptTerms = {
  version: 1;
  network: string;
  resourceUrl: string;
  payer: string;
  /** In seconds since 1970. */
  issuedAt: number;
  transaction?: string;
};

const artifact = {
  type: "object",
  properties: { format: { const: "jws" }, acceptIndex: { type: "integer" }, signature: { type: "string" } },
  required: ["format", "signature"],
};

const schemaOf = (name: string, schema: object) => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  ...{ type: "object", properties: { [name]: schema }, required: [name] },
});

/** Returns signed offers as an extension of a 402 answer. */
export const announceOffers = (offers: readonly SignedArtifact[]): Record<string, unknown> => ({
  [OFFER_RECEIPT]: { info: { offers }, schema: schemaOf("offers", { type: "array", items: artifact }) },
});

/** Returns a signed receipt as an extension of a settlement. */
export const announceReceipt = (receipt: SignedArtifact): Record<string, unknown> => ({
  [OFFER_RECEIPT]: { info: { receipt }, schema: schemaOf("receipt", artifact) },
});
