import { assertKnown } from "../check-options.ts";

/** The rules for what sellers sign. */
export type SignedOfferRules = {
  /**
   * The DIDs of the keys that may sign for a host, such as `{ "shop.example": ["did:key:z6Mk…"] }`. A host that is
   * not listed signs with a key of its DID document, `https://HOST/.well-known/did.json`.
   */
  keys?: Readonly<Record<string, readonly string[]>>;
  /** True to pay only for signed offers (default false). An offer with a wrong signature is never paid. */
  required?: boolean;
};

const known = { keys: true, required: true } as const satisfies Record<keyof SignedOfferRules, true>;

const isDid = (text: unknown) => typeof text === "string" && /^did:[a-z0-9]+:\S+$/.test(text);

/** @throws TypeError that names the invalid option */
export function readSignedOfferRules(rules: SignedOfferRules): SignedOfferRules {
  assertKnown(rules, known, "signedOffers");
  const { keys = {}, required = false } = rules;
  const lists: unknown[] =
    typeof keys === "object" && keys !== null && !Array.isArray(keys) ? Object.values(keys) : [null];
  if (!lists.every((list) => Array.isArray(list) && list.every(isDid)))
    throw new TypeError('signedOffers.keys must list DIDs by host: { "shop.example": ["did:key:z6Mk…"] }');
  if (typeof required !== "boolean") throw new TypeError("signedOffers.required must be true or false");
  return { keys, required };
}
