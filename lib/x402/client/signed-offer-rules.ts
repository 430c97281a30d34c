import { assertKnown } from "../check-options.ts";
import { readHost } from "../hosts.ts";

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

/**
 * Returns the rules with hosts in the spelling of addresses, because a host that is not found among `keys` is trusted
 * by its own DID document.
 * @throws TypeError that names the invalid option
 */
export function readSignedOfferRules(rules: SignedOfferRules): SignedOfferRules {
  assertKnown(rules, known, "signedOffers");
  const { keys = {}, required = false } = rules;
  const isRecord = typeof keys === "object" && keys !== null && !Array.isArray(keys);
  const lists = isRecord
    ? Object.entries(keys).map(([text, dids]) => ({ host: readHost(text), dids }))
    : [{ host: null, dids: null }];
  const isList = ({ host, dids }: { host: string | null; dids: unknown }) =>
    host !== null && Array.isArray(dids) && dids.every(isDid);
  if (!lists.every(isList) || new Set(lists.map(({ host }) => host)).size < lists.length)
    throw new TypeError(
      'signedOffers.keys must list DIDs by host, each once: { "shop.example": ["did:key:z6Mk…"] }',
    );
  if (typeof required !== "boolean") throw new TypeError("signedOffers.required must be true or false");
  return { keys: Object.fromEntries(lists.map(({ host, dids }) => [host, dids])), required };
}
