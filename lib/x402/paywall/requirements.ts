import { version2NameOf } from "../../chains.ts";
import { parseMils } from "../../mils.ts";
import { BAZAAR } from "../discovery/bazaar.ts";
import { encodeBase64Json, HEADER_PAYMENT, HEADER_V2_REQUIRED } from "../header.ts";
import { OFFER_RECEIPT } from "../offer-receipt/extension.ts";
import type { PaymentRequired, PaymentRequirements } from "../types.ts";
import type { PaywallSettings } from "./options.ts";
import type { PaymentFlow } from "./payment-flow.ts";
import { announcedIdentifier } from "./payment-identifier.ts";

const VALID_SECONDS = 300;
/**
 * Maximum length of both headers together, because proxies refuse heads of a few KB (nginx 4 by default),
 * which hold other headers too.
 */
const MOST_HEADER_CHARACTERS = 2400;
/** The length that an offer to pay by a sent transfer adds to the header of version 2. */
const TRANSFER_CHARACTERS = 800;

/** Builds the requirements of `settings` for a resource; `extra` contains the offered nonce, if there is one. */
export function buildRequirements(
  settings: PaywallSettings<never>,
  given: {
    amount: string;
    payTo: string;
    /** The name of the chain in this entry. */
    network: string;
    resource: string;
    validBefore: string;
    extra?: Record<string, unknown>;
  },
): PaymentRequirements {
  const { description, mimeType } = settings;
  const { amount, payTo, network, resource, validBefore, extra } = given;
  return {
    x402Version: 1,
    scheme: "exact",
    network,
    maxAmountRequired: amount,
    resource,
    payTo,
    validBefore,
    ...(description !== undefined && { description }),
    ...(mimeType !== undefined && { mimeType }),
    ...(extra && { extra }),
  };
}

/** Returns when an offer made at `offeredAtMs` expires, in ISO 8601. */
export function endOfOffer(offeredAtMs: number): string {
  return new Date(offeredAtMs + VALID_SECONDS * 1000).toISOString();
}

/** Adds extensions, if there are any, to a message that asks for payment. */
export function withExtensions<Required extends PaymentRequired>(
  required: Required,
  more: Record<string, unknown> | undefined,
): Required {
  return more ? { ...required, extensions: { ...required.extensions, ...more } } : required;
}

/**
 * Returns the headers of an offer: the one that existing Hive clients read, and that of version 2, in which a
 * chain has one name and occurs once. Texts that are too long are left to the body: first the description,
 * then the address in version 1, then the service, then the schema of signed offers, then all extensions but the
 * declaration for catalogues, then that, then the address except for its origin. Other catalogues read only the header; our clients, which can sign in,
 * read the body.
 */
export function offerHeaders(required: PaymentRequired, flow: PaymentFlow): Array<[string, string]> {
  const { extensions = {}, ...plain } = required;
  const { [BAZAAR]: declared, ...others } = extensions;
  const described = declared === undefined ? [] : [{ ...plain, extensions: { [BAZAAR]: declared } }];
  const unlisted = Object.keys(others).length > 0 ? [{ ...plain, extensions: others }] : [];
  const forms = [required, ...withoutSchema(required), ...described, ...unlisted, plain].flatMap(
    shrinkingForms,
  );
  const most = MOST_HEADER_CHARACTERS + (required.transfer ? TRANSFER_CHARACTERS : 0);
  const [fullest] = forms.map((form) => headersOf(form, flow)).filter((headers) => lengthOf(headers) <= most);
  return fullest ?? headersOf([withoutTexts(plain), withoutTexts(plain)], flow);
}

/** An offer in the form of headers; `url` is the address if the entries have none. */
type HeaderForm = Omit<PaymentRequired, "accepts"> & {
  accepts: Array<Partial<Pick<PaymentRequirements, "resource">> & Omit<PaymentRequirements, "resource">>;
  url?: string;
};

const lengthOf = (headers: Array<[string, string]>) =>
  headers.reduce((sum, [, value]) => sum + value.length, 0);

function headersOf(
  [one, other]: readonly [version1: HeaderForm, version2: HeaderForm],
  flow: PaymentFlow,
): Array<[string, string]> {
  // Version 1 has no extensions and no sent transfers, and names no service.
  const { url: _url, extensions: _extensions, resource: _service, transfer: _sent, ...version1 } = one;
  const version2 = toVersion2(
    { ...other, extensions: { ...announcedIdentifier, ...other.extensions } },
    flow,
  );
  return [
    [HEADER_PAYMENT, encodeBase64Json(version1)],
    [HEADER_V2_REQUIRED, encodeBase64Json(version2)],
  ];
}

/**
 * Returns an offer in the form of version 2, in which a chain has one name and occurs once. The flow `authorization` is
 * not named.
 */
export function toVersion2(
  { accepts, error, url, resource, transfer, extensions }: HeaderForm,
  flow: PaymentFlow,
) {
  const [first] = accepts;
  return {
    x402Version: 2,
    error,
    resource: {
      url: url ?? first?.resource,
      description: first?.description,
      mimeType: first?.mimeType,
      ...resource,
    },
    accepts: [
      ...accepts.slice(0, 1).map(({ network, maxAmountRequired, payTo, extra }) => ({
        scheme: "exact",
        network: version2NameOf(network),
        // Version 2 counts in the smallest unit.
        amount: String(parseMils(maxAmountRequired)),
        asset: "HBD",
        payTo,
        maxTimeoutSeconds: VALID_SECONDS,
        extra: { ...extra, ...(flow !== "authorization" && { paymentFlow: flow }) },
      })),
      ...(transfer ? [transfer] : []),
    ],
    ...(extensions && { extensions }),
  };
}

/** Returns an offer's forms for the headers of both versions, the longest first. */
function shrinkingForms(required: PaymentRequired): Array<[version1: HeaderForm, version2: HeaderForm]> {
  const short = withoutDescription(required);
  const { resource: service, ...unnamed } = short;
  const version1 = withoutTexts(required);
  return [
    [required, required],
    [short, short],
    // Extensions and the service are more useful than an address in version 1.
    ...(required.extensions || service ? [[version1, short] satisfies [HeaderForm, HeaderForm]] : []),
    ...(service ? [[version1, unnamed] satisfies [HeaderForm, HeaderForm]] : []),
  ];
}

/** Returns the offer without the schema of its signed offers, if it has any. */
function withoutSchema(required: PaymentRequired): PaymentRequired[] {
  const { [OFFER_RECEIPT]: signed, ...others } = required.extensions ?? {};
  if (signed === undefined) return [];
  const { info } = signed as { info: unknown };
  return [{ ...required, extensions: { ...others, [OFFER_RECEIPT]: { info } } }];
}

const withoutDescription = (required: PaymentRequired): PaymentRequired => ({
  ...required,
  accepts: required.accepts.map(({ description: _long, ...offer }) => offer),
});

/**
 * Removes texts and addresses from an offer. Version 1 works without the address; version 2 gets the origin
 * instead.
 */
function withoutTexts({ error: _text, resource: _service, ...required }: PaymentRequired): HeaderForm {
  const { resource = "" } = required.accepts[0] ?? {};
  return {
    ...required,
    accepts: required.accepts.map(
      ({ description: _long, mimeType: _kind, resource: _address, ...offer }) => offer,
    ),
    ...(URL.canParse(resource) && { url: `${new URL(resource).origin}/` }),
  };
}
