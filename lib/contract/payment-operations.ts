import { PAYMENT_REQUEST_BYTES, PaymentRequest } from "../x402/facilitator/read-request.ts";
import type { AnswerName } from "./answers.ts";
import {
  MOST_PAYMENTS,
  type Operations,
  paymentsLimit,
  settleLimit,
  tipsLimit,
  tipsReadLimit,
  verifyLimit,
} from "./limits.ts";
import { PaymentsQuery, TipQuery, TipsQuery } from "./requests.ts";

/** A facilitator refuses in the protocol's own format, except for quotas. */
const refusedBy = (answer: AnswerName) => ({ 400: answer, 413: answer, 415: answer, 503: answer });
const facilitatorFailures = ["chain_unavailable", "degraded", "overloaded"] as const;

/** The answers of a paywall of this server that withhold the resource. */
const sold = { 402: "PaymentRequired", 503: "PaymentUnavailable" } as const;

export const paymentOperations = {
  "/api/x402/verify": {
    post: {
      summary: "Checks a signed payment without putting it on the chain",
      description:
        "A payment that is no good is 200 with `isValid: false` and its `invalidReason`; only a request that can't be read, or a facilitator that can't tell, is a failure.",
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
        "Send it again as it is after a lost answer: it never counts twice. An `Idempotency-Key` (1 to 128 visible ASCII characters) makes the repeat the same success; without it a payment that was settled before is `payment_replayed`.",
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
      summary: "What can be paid with",
      description: "Scheme and network, once for each version of the protocol and each name of the chain.",
      auth: "none",
      answer: "Supported",
    },
  },
  "/api/x402/health": {
    get: {
      summary: "Whether payments can be settled",
      description: "`degraded` with 200: this machine's clock is wrong, and payments go on by the chain's.",
      auth: "none",
      answer: "FacilitatorHealth",
      failureAnswers: { 503: "FacilitatorHealth" },
    },
  },
  "/api/x402/payments": {
    get: {
      summary: "What an account paid and earned for x402 resources, newest first, and its balance",
      description: `At most ${MOST_PAYMENTS}, read from the chain: whoever was paid by whom is public there.`,
      auth: "none",
      query: PaymentsQuery,
      limits: [paymentsLimit],
      answer: "Payments",
      failures: ["not_found", "chain_unavailable"],
    },
  },
  "/api/demo/tips": {
    get: {
      summary: "How often and how much messages were tipped",
      description:
        "For one message (`post`), or for up to 100 at once (`posts`), of which those without tips are left out. The accounts of the latest tips are named: their transfers are public on the chain.",
      auth: "none",
      query: TipsQuery,
      limits: [tipsReadLimit],
      answer: "Tips",
      failures: ["degraded"],
    },
    post: {
      summary:
        "Tips somebody, for the message `post`, which the caller's chat token must be able to read, or as a person, with the payment in `x-payment`",
      description:
        "Without payment 402 says how to pay. A PAT is needed for `post` alone; `to` must be that message's author. Once it is paid, the gateway says so in the conversation of the PAT's user with `to`, once for each tip.",
      auth: "none",
      query: TipQuery,
      limits: [tipsLimit],
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
      summary: "The articles for sale",
      description:
        "With their prices and beginnings; those that the signed-in account has bought, by the cookie, with their `receipt`.",
      auth: "none",
      answer: "Articles",
      failures: ["degraded"],
    },
  },
  "/api/demo/articles/{slug}": {
    get: {
      summary: "An article, for 0.050 HBD in `x-payment`",
      description:
        "Without payment 402 says how to pay; a browser gets a page that does it. Who is signed in, by the cookie, as an account that bought it before gets it for nothing, a browser as a page, in English or Spanish as `Accept-Language` or the choice in `/settings` says. The receipt is in the `x-payment-response` header.",
      auth: "none",
      answer: "Article",
      failures: ["not_found", "degraded"],
      failureAnswers: sold,
    },
  },
} satisfies Operations;
