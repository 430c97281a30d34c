import {
  encodeBase64Json,
  HEADER_PAYMENT,
  HEADER_PAYMENT_RESPONSE,
  HEADER_REDIRECT,
  HEADER_V2_PAYMENT,
  HEADER_V2_RESPONSE,
} from "../header.ts";
import { SIGN_IN_WITH_X } from "../sign-in-text.ts";
import type { Receipt, Refused } from "./decision.ts";
import type { PaywallSettings } from "./options.ts";
import { paymentPage } from "./payment-page.ts";
import { chooseLanguage, type PageLanguage, rangesOf } from "./payment-page-texts.ts";
import type { PaymentHeader } from "./read-payment.ts";
import { describeRefusal, rejectionBody, rejections } from "./refusals.ts";
import { offerHeaders, withExtensions } from "./requirements.ts";

/** Headers that scripts of other origins are allowed to read. */
const EXPOSED = ["x-payment", "x-payment-response", "payment-required", "payment-response", "retry-after"];

/** An answer that any server can send. */
export type PlainAnswer = {
  status: number;
  headers: Array<[string, string]>;
  /** Bytes if the answer was sent before; the framework has already applied its changes to them. */
  body: string | Uint8Array<ArrayBuffer>;
};

type HeaderReader = (name: string) => string | null | undefined;

/** Returns the payment in a request's headers, or null. Version 2 has its own header. */
export function findPayment(header: HeaderReader): PaymentHeader | null {
  const version1 = header(HEADER_PAYMENT);
  if (version1) return { version: 1, text: version1 };
  const version2 = header(HEADER_V2_PAYMENT);
  return version2 ? { version: 2, text: version2 } : null;
}

/** Returns the sign-in in a request's headers, or null. */
export const findSignIn = (header: HeaderReader): string | null => header(SIGN_IN_WITH_X) || null;

/** Returns whether a request is a CORS preflight, which carries no payment. */
export function isPreflight(method: string, header: HeaderReader): boolean {
  return method === "OPTIONS" && Boolean(header("access-control-request-method"));
}

/** The answer to an error in the seller's own code. */
export const failureAnswer: PlainAnswer = {
  status: 500,
  headers: [
    ["cache-control", "no-store"],
    ["content-type", "application/json"],
  ],
  body: JSON.stringify({
    error:
      "Something went wrong on our side; send the same request again, with the same payment if it had one.",
    code: "internal",
  }),
};

/** The part of a request that a refusal depends on; `raw` is the adapter's own request. */
export type RefusedRequest<Request> = {
  method: string;
  header: HeaderReader;
  raw: Request;
  settings: PaywallSettings<Request>;
};

/** Creates the answer to a request that does not reach the handler. */
export function refusalAnswer<Request>(decision: Refused, asked: RefusedRequest<Request>): PlainAnswer {
  const common: PlainAnswer["headers"] = [["cache-control", "no-store"]];
  // The seller's middleware in front of the paywall decides about other origins.
  if (decision.kind === "preflight") return { status: 204, headers: common, body: "" };
  if (decision.kind === "answered") return decision.answer;
  if (decision.kind === "rejected") {
    const headers: PlainAnswer["headers"] = [...common, ["content-type", "application/json"]];
    const { status } = rejections[decision.code];
    return { status, headers, body: JSON.stringify(rejectionBody(decision.code)) };
  }
  if (decision.kind === "unavailable") {
    const { code, retryAfterSeconds } = decision;
    const headers: PlainAnswer["headers"] = [
      ...common,
      ["retry-after", String(Math.ceil(retryAfterSeconds))],
      ["content-type", "application/json"],
    ];
    return { status: 503, headers, body: JSON.stringify({ error: describeRefusal(code), code }) };
  }
  const { required, retryAfterSeconds, signedOffers } = decision;
  const announced = withExtensions(required, signedOffers?.version2);
  const headers = [...common, ...offerHeaders(announced, asked.settings.paymentFlow)];
  if (retryAfterSeconds !== undefined) headers.push(["retry-after", String(retryAfterSeconds)]);
  if (asked.method === "GET" && prefersHtml(asked.header("accept") ?? "")) {
    const page = paymentPage(required, asked.settings.pageChain.known(), languageFor(asked));
    return { status: 402, headers: [...headers, ...page.headers], body: page.body };
  }
  const body = JSON.stringify(withExtensions(required, signedOffers?.version1));
  return { status: 402, headers: [...headers, ["content-type", "application/json"]], body };
}

function languageFor<Request>({
  header,
  raw,
  settings: { language },
}: RefusedRequest<Request>): PageLanguage {
  let wanted: unknown = language;
  try {
    if (typeof language === "function") wanted = language(raw);
  } catch {
    // If the seller's function fails, the page is shown in the browser's language.
  }
  return chooseLanguage(wanted, header("accept-language") ?? "");
}

/**
 * Returns the headers that are added to every answer of a handler, including the receipt of a settled
 * payment. A shared cache must not serve the answer to others.
 */
export function receiptHeaders(
  settlement: Receipt | null,
  payment: PaymentHeader | null,
): PlainAnswer["headers"] {
  if (settlement === null) return [["cache-control", "private, no-store"]];
  const { extensions: _signed, ...plain } = settlement;
  const receipt = encodeBase64Json(settlement);
  // A signed receipt is long, so only one header contains it.
  const version1 = payment?.version === 2 ? encodeBase64Json(plain) : receipt;
  return [
    [HEADER_PAYMENT_RESPONSE, version1],
    ...(payment?.version === 2 ? [[HEADER_V2_RESPONSE, receipt] as [string, string]] : []),
    ["cache-control", "private, no-store"],
  ];
}

/** Returns whether `location` is where an answer leads to, and not what it has created. */
export const isRedirect = (status: number): boolean => status >= 300 && status < 400;

/** Moves the address of a redirect to a header that the script which asks for it can read. */
export function revealRedirect(response: Response, header: HeaderReader): Response {
  const { status, headers } = response;
  const location = header(HEADER_REDIRECT) && headers.get("location");
  if (location && isRedirect(status)) {
    headers.delete("location");
    headers.set(HEADER_REDIRECT, location);
  }
  return response;
}

/** Adds our headers to the list of headers that scripts can read. */
export function exposedHeaders(present: string | null | undefined): string {
  const names = (present ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (names.includes("*")) return "*";
  const known = new Set(names.map((name) => name.toLowerCase()));
  return [...names, ...EXPOSED.filter((name) => !known.has(name))].join(", ");
}

/**
 * Returns whether `Accept` prefers a page to JSON, by quality and then by order, as browsers do and programs
 * do not.
 */
export function prefersHtml(accept: string): boolean {
  const best = rangesOf(accept).find(
    ({ name, quality }) => (name === "text/html" || name === "application/json") && quality > 0,
  );
  return best?.name === "text/html";
}

/** Creates a web `Response` from a plain answer, which scripts of other origins can read. */
export function toResponse({ status, headers, body }: PlainAnswer): Response {
  return addHeaders(new Response(body.length === 0 ? null : body, { status, headers }), []);
}

/**
 * Returns the same answer, with its stream untouched and the headers set.
 * @throws TypeError for anything that cannot be sent, such as no answer, or one whose body has already been
 * read or sent, which not every server's `Response` detects
 */
export function addHeaders(response: Response, headers: PlainAnswer["headers"]): Response {
  if (response.bodyUsed || response.body?.locked)
    throw new TypeError("the body of this response was already read or sent");
  const { status, statusText } = response;
  const copy = new Response(response.body, { status, statusText, headers: response.headers });
  for (const [name, value] of headers) copy.headers.set(name, value);
  const exposed = exposedHeaders(copy.headers.get("access-control-expose-headers"));
  copy.headers.set("access-control-expose-headers", exposed);
  return copy;
}
