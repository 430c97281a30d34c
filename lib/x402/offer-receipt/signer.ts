import { hexToBytes } from "@noble/hashes/utils.js";
import { createTtlLruCache } from "../../async/cache.ts";
import { version2NameOf } from "../../chains.ts";
import { parseMils } from "../../mils.ts";
import { canonicalJson } from "../canonical-json.ts";
import { assertKnown } from "../check-options.ts";
import type { PaymentRequirements } from "../types.ts";
import {
  announceOffers,
  announceReceipt,
  type OfferTerms,
  type ReceiptTerms,
  type SignedArtifact,
} from "./extension.ts";

/** The key by which a seller signs, so that buyers can prove offers and receipts to others. */
export type SigningOptions = {
  /** A private key of Ed25519, 64 hex digits, used for nothing else: `openssl rand -hex 32` creates one. */
  privateKey: string;
  /**
   * The key's name, such as "did:web:shop.example#key-1", under which the shop publishes the public key (see
   * `createDidDocument`). The default is the key's `did:key`, which buyers must know from elsewhere.
   */
  kid?: string;
  /** True to name the transaction in receipts, by which anyone can find it on the chain (default false). */
  includeTransaction?: boolean;
};

const known = {
  privateKey: true,
  kid: true,
  includeTransaction: true,
} as const satisfies Record<keyof SigningOptions, true>;

/** Signed offers as extensions of a 402 answer, which spells amounts differently in each version. */
export type SignedOffers = { version1: Record<string, unknown>; version2: Record<string, unknown> };

/** The facts in a receipt; `network` has any of the chain's names. */
export type PaidFacts = { network: string; resourceUrl: string; payer: string; txId: string; nowMs: number };

export type OfferSigner = {
  /** Signs the offers of a 402 answer. */
  signOffers(accepts: readonly PaymentRequirements[]): Promise<SignedOffers>;
  /** Signs a receipt, and returns it as an extension of the settlement. */
  signReceipt(paid: PaidFacts): Promise<Record<string, unknown>>;
};

/**
 * Offers end at a full minute, so that those of one minute are equal and are signed once, however many clients ask.
 */
const STEP_MS = 60_000;
const MAX_OFFERS = 1000;

/**
 * Checks the key, and creates a signer. The curve is loaded at the first signature.
 * @throws TypeError that names the invalid option, without the key
 */
export function createOfferSigner(options: SigningOptions): OfferSigner {
  const { privateKey, kid, includeTransaction = false } = readSigning(options);
  const load = () => import("./sign-jws.ts").then(({ createJwsSigner }) => createJwsSigner(privateKey, kid));
  let loading: ReturnType<typeof load> | undefined;
  const sign = async (terms: object): Promise<string> => {
    loading ??= load();
    return (await loading)(terms);
  };
  const offers = createTtlLruCache<Promise<string>>({ maxEntries: MAX_OFFERS, ttlMs: STEP_MS });
  const signOffer = (terms: OfferTerms): Promise<string> => {
    const key = canonicalJson(terms);
    const signature = offers.get(key) ?? sign(terms);
    offers.set(key, signature);
    return signature;
  };
  const signAll = async (terms: readonly OfferTerms[]): Promise<Record<string, unknown>> => {
    const signatures = await Promise.all(terms.map(signOffer));
    // A chain with several names has several entries, whose terms are equal once signed.
    const distinct = [...new Set(signatures)];
    return announceOffers(
      distinct.map(
        (signature): SignedArtifact => ({
          format: "jws",
          acceptIndex: signatures.indexOf(signature),
          signature,
        }),
      ),
    );
  };
  return {
    async signOffers(accepts) {
      const terms = accepts.map(termsOf);
      const inSmallestUnit = terms
        .slice(0, 1)
        .map((one) => ({ ...one, amount: String(parseMils(one.amount)) }));
      const [version1, version2] = await Promise.all([signAll(terms), signAll(inSmallestUnit)]);
      return { version1, version2 };
    },
    async signReceipt({ network, resourceUrl, payer, txId, nowMs }) {
      const terms: ReceiptTerms = {
        ...{ version: 1, network: version2NameOf(network), resourceUrl, payer },
        issuedAt: Math.floor(nowMs / 1000),
        ...(includeTransaction && { transaction: txId }),
      };
      return announceReceipt({ format: "jws", signature: await sign(terms) });
    },
  };
}

/** Returns the checked options, with the key as bytes. */
export function readSigning(options: SigningOptions): Omit<SigningOptions, "privateKey"> & {
  privateKey: Uint8Array;
} {
  assertKnown(options, known, "signing");
  const { privateKey, kid, includeTransaction } = options;
  if (typeof privateKey !== "string" || !/^[0-9a-f]{64}$/i.test(privateKey))
    throw new TypeError("signing.privateKey must be 64 hex digits");
  if (
    kid !== undefined &&
    !(typeof kid === "string" && /^did:[a-z0-9]+:[\w.:%/-]{1,400}#[\w.-]{1,100}$/.test(kid))
  )
    throw new TypeError('signing.kid must be a DID URL such as "did:web:shop.example#key-1"');
  if (includeTransaction !== undefined && typeof includeTransaction !== "boolean")
    throw new TypeError("signing.includeTransaction must be true or false");
  return { ...options, privateKey: hexToBytes(privateKey) };
}

function termsOf({
  scheme,
  network,
  payTo,
  maxAmountRequired,
  resource,
  validBefore,
}: PaymentRequirements): OfferTerms {
  return {
    ...{ version: 1, resourceUrl: resource, scheme, network: version2NameOf(network), asset: "HBD", payTo },
    amount: maxAmountRequired,
    validUntil: (Math.floor(Date.parse(validBefore) / STEP_MS) * STEP_MS) / 1000,
  };
}
