import { ResourcesQuery, SearchQuery } from "../x402/discovery/queries.ts";
import { PAYMENT_REQUEST_BYTES, PaymentRequest } from "../x402/facilitator/read-request.ts";
import type { AnswerName } from "./answers.ts";
import {
  discoveryLimit,
  MOST_PAYMENTS,
  type Operations,
  paymentsLimit,
  settleLimit,
  tipsLimit,
  tipsReadLimit,
  verifyLimit,
} from "./limits.ts";
import { PaymentsQuery, TipQuery, TipsQuery } from "./requests.ts";

/**
 * Returns the schemas of refusals by status. A facilitator refuses in the protocol's own format, except for
 * quotas.
 */
const refusedBy = (answer: AnswerName) => ({ 400: answer, 413: answer, 415: answer, 503: answer });
const facilitatorFailures = ["chain_unavailable", "degraded", "overloaded"] as const;

/** A paywall's answers that withhold the resource. */
const sold = {
  400: "PaymentRejected",
  402: "PaymentRequired",
  409: "PaymentRejected",
  503: "PaymentUnavailable",
} as const;

export const paymentOperations = {
  "/api/x402/verify": {
    post: {
      summary: "Checks a signed payment without putting it on the chain",
      description:
        "An invalid payment is 200 with `isValid: false` and an `invalidReason`. Only an unreadable request, or a facilitator that cannot decide, is a failure.",
      auth: "none",
      body: PaymentRequest,
      hasOwnBodyCheck: true,
      bodyBytes: PAYMENT_REQUEST_BYTES,
      limits: [verifyLimit],
      answer: "VerifyResponse",
      failures: facilitatorFailures,
      failureAnswers: refusedBy("VerifyFailure"),
    },
  },
  "/api/x402/settle": {
    post: {
      summary: "Puts a signed payment on the chain, once",
      description:
        "After a lost answer, send the same request again: it never counts twice. With the same `Idempotency-Key` (1 to 128 visible ASCII characters) the repeat returns the same success; without one, a payment that was settled before is `payment_replayed`.",
      auth: "none",
      body: PaymentRequest,
      hasOwnBodyCheck: true,
      bodyBytes: PAYMENT_REQUEST_BYTES,
      limits: [settleLimit],
      answer: "SettleResponse",
      failures: facilitatorFailures,
      failureAnswers: refusedBy("SettleFailure"),
    },
  },
  "/api/x402/supported": {
    get: {
      summary: "Lists the supported kinds of payment",
      description: "Scheme and network, for each version of the protocol and each name of the chain.",
      auth: "none",
      answer: "Supported",
    },
  },
  "/api/x402/health": {
    get: {
      summary: "Reports whether payments can be settled",
      description:
        "`degraded` with 200 means that this machine's clock is wrong, and that payments continue by the chain's time.",
      auth: "none",
      answer: "FacilitatorHealth",
      failureAnswers: { 503: "FacilitatorHealth" },
    },
  },
  "/api/x402/discovery/resources": {
    get: {
      summary: "Lists resources that were sold through this facilitator",
      description:
        "A resource is listed if its seller opted in and somebody paid for it, for 30 days from its last payment, the latest first. Its description is its own server's answer.",
      auth: "none",
      query: ResourcesQuery,
      limits: [discoveryLimit],
      answer: "ResourcesPage",
      failures: ["degraded"],
    },
  },
  "/api/x402/discovery/search": {
    get: {
      summary: "Searches the listed resources",
      description:
        "Returns the resources in which most of the words occur, the best first. `partialResults` means that there are more, from `pagination.cursor` on.",
      auth: "none",
      query: SearchQuery,
      limits: [discoveryLimit],
      answer: "FoundResources",
      failures: ["degraded"],
    },
  },
  "/.well-known/x402": {
    get: {
      summary: "Lists the paid addresses of this server",
      description:
        "For crawlers of x402 resources. Each address answers 402 with its price. Empty if the operator has set no `PAYWALL_ACCOUNT`.",
      auth: "none",
      cache: "public, max-age=300",
      answer: "OwnResources",
    },
  },
  "/.well-known/did.json": {
    get: {
      summary: "Returns the DID document with the key that signs this server's offers and receipts",
      description:
        "The document of the server's `did:web`, by which buyers verify what the paywalls sign. 404 if they sign nothing.",
      auth: "none",
      cache: "public, max-age=60",
      answer: "DidDocument",
      failures: ["not_found"],
    },
  },
  "/api/x402/payments": {
    get: {
      summary: "Lists what an account paid and earned for x402 resources, and its balance",
      description: `Up to ${MOST_PAYMENTS} payments, newest first, read from the chain, where payers and payees are public. Refunds are payments too, with \`refundOf\`; the account that is signed in by the cookie reads why it was refunded or refunds.`,
      auth: "none",
      query: PaymentsQuery,
      limits: [paymentsLimit],
      answer: "Payments",
      failures: ["not_found", "chain_unavailable"],
    },
  },
  "/api/demo/tips": {
    get: {
      summary: "Counts and sums the tips of messages",
      description:
        "For one message (`post`), or for up to 100 at once (`posts`), without those that have no tips. Includes the accounts of the latest tips, whose transfers are public on the chain.",
      auth: "none",
      query: TipsQuery,
      limits: [tipsReadLimit],
      answer: "Tips",
      failures: ["degraded"],
    },
    post: {
      summary:
        "Tips a person, or the message `post`, which the caller's chat token must be able to read, with the payment in `x-payment`",
      description:
        "Without a payment, 402 says how to pay. Only `post` requires a PAT, and `to` must be that message's author. After the payment, the gateway reports the tip in the conversation between the PAT's user and `to`, once per tip.",
      auth: "none",
      query: TipQuery,
      limits: [tipsLimit],
      price: { min: "0.001", max: "100.000" },
      answer: "Tip",
      failures: [
        ...(["unauthorized", "forbidden", "not_found", "backend_unreachable", "chat_token_refused"] as const),
        ...(["degraded", "overloaded", "backend_timeout"] as const),
      ],
      failureAnswers: sold,
    },
  },
  "/api/demo/articles": {
    get: {
      summary: "Lists the articles for sale",
      description:
        "With prices and teasers. Articles that the account signed in by the cookie has bought include a `receipt`. 404 if the operator has set no `PAYWALL_ACCOUNT`: nothing is for sale then.",
      auth: "none",
      answer: "Articles",
      failures: ["not_found", "degraded"],
    },
  },
  "/api/demo/articles/{slug}": {
    get: {
      summary: "Returns an article for 0.050 HBD in `x-payment`",
      description:
        "Without a payment, 402 says how to pay; browsers get a page that pays. An account that has bought the article gets it for free: signed in by the cookie, or by a signature in `sign-in-with-x` over the challenge in the 402. Browsers get pages in English or Spanish, by `Accept-Language` or the choice in `/settings`. The receipt is in the `x-payment-response` header. The payee is the operator's `PAYWALL_ACCOUNT`; without one, every article is a 404.",
      auth: "none",
      price: { amount: "0.050" },
      answer: "Article",
      failures: ["not_found", "degraded"],
      failureAnswers: sold,
    },
  },
} satisfies Operations;
