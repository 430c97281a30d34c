import { z } from "zod";
import { Listing } from "../x402/discovery/listing.ts";
import { reasons } from "../x402/facilitator/reasons.ts";
import { HealthResponse, SettleResponse, SupportedResponse, VerifyResponse } from "../x402/schemas.ts";
import { isoTime, text, whole } from "./examples.ts";
import {
  PaymentRejected,
  PaymentRequired,
  PaymentUnavailable,
  SettleFailure,
  VerifyFailure,
} from "./refusals.ts";

const account = text("alice");
const txId = text("5f".repeat(20), "transaction id");
const hbd = text("0.050 HBD");

const settled = {
  success: true,
  txId: "5f".repeat(20),
  blockNum: 12_345_678,
  payer: "alice",
  transaction: "5f".repeat(20),
  network: "chain:mainnet",
};

const listing = {
  resource: "https://weather.example/today",
  type: "http",
  x402Version: 2,
  accepts: [
    {
      scheme: "exact",
      network: "chain:mainnet",
      amount: "50",
      asset: "HBD",
      payTo: "shop",
      maxTimeoutSeconds: 300,
    },
  ],
  lastUpdated: "2026-01-31T12:00:00.000Z",
  description: "The weather of a city",
  mimeType: "application/json",
  extensions: {
    bazaar: {
      info: { input: { type: "http", method: "GET", queryParams: { city: "Madrid" } } },
      schema: { type: "object", properties: { input: { type: "object" } }, required: ["input"] },
    },
  },
};

const ResourcesPage = z
  .object({
    x402Version: z.literal(2),
    items: z.array(Listing),
    pagination: z.object({ limit: whole(20), offset: whole(0), total: whole(1) }),
  })
  .meta({
    examples: [{ x402Version: 2, items: [listing], pagination: { limit: 20, offset: 0, total: 1 } }],
  });

const FoundResources = z
  .object({
    x402Version: z.literal(2),
    resources: z.array(Listing),
    partialResults: z.boolean(),
    pagination: z.object({ limit: whole(1), cursor: text("20").nullable() }),
  })
  .meta({
    examples: [
      { x402Version: 2, resources: [listing], partialResults: false, pagination: { limit: 1, cursor: null } },
    ],
  });

const PUBLIC_KEY_NAME = "z6MkvgaCXLPCcGqTNLCVXCTLNV3iUVV9aC3U7aEVJLQ7Ys3A";

const OwnResources = z.object({
  version: z.literal(1),
  resources: z.array(text("https://gateway.example/api/demo/articles/three-seconds-and-no-fee")),
});

const DidDocument = z.object({
  "@context": z.array(text("https://www.w3.org/ns/did/v1")),
  id: text("did:web:gateway.example"),
  verificationMethod: z.array(
    z.object({
      id: text(`did:web:gateway.example#${PUBLIC_KEY_NAME}`),
      type: z.literal("JsonWebKey2020"),
      controller: text("did:web:gateway.example"),
      publicKeyJwk: z.object({
        kty: z.literal("OKP"),
        crv: z.literal("Ed25519"),
        x: text("8SQRcd72pOaTNSEYPnjNMCL7F20acbAOUnsgZk-M910"),
      }),
    }),
  ),
  assertionMethod: z.array(
    text(`did:web:gateway.example#${PUBLIC_KEY_NAME}`, "the key that signs; the others are former ones"),
  ),
});

const Payment = z.object({
  txId,
  blockNum: whole(12_345_678),
  time: isoTime,
  from: account,
  to: text("shop"),
  amount: hbd,
  direction: z.enum(["paid", "earned"]),
  refundOf: text("5f".repeat(20), "the refunded payment, if this is a refund").optional(),
  refundedBy: text("5f".repeat(20), "the transfer that paid this payment back").optional(),
  reason: text(
    "the report was empty",
    "why this server's seller refunded; for buyer and seller only",
  ).optional(),
});

const Payments = z.object({ account, balance: hbd, payments: z.array(Payment) });

/** Maximum number of tippers named per message. */
export const MOST_TIPPERS = 20;

const TipSum = z.object({
  count: whole(1),
  total: text("0.010 HBD", "sum of all tips"),
  tippers: z
    .array(z.object({ payer: account, amount: text("0.010 HBD") }))
    .max(MOST_TIPPERS)
    .describe(`accounts of the latest ${MOST_TIPPERS} tips, newest first`),
});

const TipSums = z.object({ tips: z.record(z.string(), TipSum) });

/** The tips for one message, or for several by id. */
const Tips = z.union([TipSum, TipSums]);

const Tip = z.object({
  to: text("bob"),
  amount: text("0.010 HBD"),
  payer: account,
  txId,
  post: text("p".repeat(26), "the tipped message, if the tip was for one").optional(),
  isTold: z
    .boolean()
    .optional()
    .describe(
      "whether the gateway has notified the recipient in their conversation; absent if the caller is not signed in to the chat, or is the recipient",
    ),
  count: TipSum.shape.count.optional(),
  total: TipSum.shape.total.optional(),
  tippers: TipSum.shape.tippers.optional(),
});

const KeptReceipt = z.object({
  payer: account,
  txId,
  blockNum: whole(12_345_678).nullable(),
  network: text("chain:mainnet"),
  amount: hbd,
  paidAt: isoTime,
});

const ArticleOffer = z.object({
  slug: text("three-seconds-and-no-fee"),
  title: text("Three seconds and no fee"),
  price: hbd,
  teaser: text("Why a payment of five cents makes sense on Hive."),
  receipt: KeptReceipt.optional().describe("present if the signed-in account has bought it"),
});

const Articles = z.object({ articles: z.array(ArticleOffer) });

const Article = ArticleOffer.omit({ price: true, receipt: true }).extend({
  body: text("A card payment of five cents …", "Markdown"),
  pictures: z
    .record(z.string(), z.string())
    .optional()
    .describe("paths that serve its pictures from other servers, by their addresses"),
  payer: account,
  txId,
});

const SandboxAccount = z.object({
  name: account,
  hbd: text("100.000 HBD"),
  keys: z.record(z.string(), z.string()).describe("private keys in WIF, by role").readonly(),
});

const SandboxChain = z.object({ url: text("http://127.0.0.1:8091"), chainId: text("18".repeat(32)) });

/** `chat` and `chain` are null if the sandbox uses an external chat or chain. */
const Sandbox = z.object({
  accounts: z.array(SandboxAccount).readonly(),
  chat: z.object({ url: text("http://127.0.0.1:8065"), teamId: text("t".repeat(26)) }).nullable(),
  chain: SandboxChain.nullable(),
});

/** The payment schemas, by their names in the document. */
export const paymentAnswers = {
  PaymentRequired,
  PaymentRejected,
  PaymentUnavailable,
  VerifyResponse: VerifyResponse.extend({ invalidReason: z.enum(reasons).optional() }).meta({
    examples: [{ isValid: true, payer: "alice" }],
  }),
  SettleResponse: SettleResponse.extend({ errorReason: z.enum(reasons).optional() }).meta({
    examples: [settled],
  }),
  VerifyFailure,
  SettleFailure,
  Supported: SupportedResponse.meta({
    examples: [
      {
        kinds: [
          { x402Version: 1, scheme: "exact", network: "chain:mainnet" },
          {
            ...{ x402Version: 2, scheme: "exact", network: "chain:mainnet" },
            extra: { assetTransferMethods: ["memo"] },
          },
        ],
        extensions: ["bazaar"],
        signers: {},
      },
    ],
  }),
  FacilitatorHealth: HealthResponse.meta({
    examples: [
      {
        status: "ok",
        network: "chain:mainnet",
        headBlock: 12_345_678,
        chainLagSeconds: 2,
        store: "ok",
      },
    ],
  }),
  Payments,
  ResourcesPage,
  FoundResources,
  OwnResources,
  DidDocument,
  Tips,
  Tip,
  Articles,
  Article,
  Sandbox,
} as const;

export type Payment = z.infer<typeof Payment>;
export type ResourcesPage = z.infer<typeof ResourcesPage>;
export type FoundResources = z.infer<typeof FoundResources>;
export type Payments = z.infer<typeof Payments>;
export type TipSum = z.infer<typeof TipSum>;
export type TipSums = z.infer<typeof TipSums>;
export type Tip = z.infer<typeof Tip>;
export type KeptReceipt = z.infer<typeof KeptReceipt>;
export type ArticleOffer = z.infer<typeof ArticleOffer>;
export type Articles = z.infer<typeof Articles>;
export type Article = z.infer<typeof Article>;
export type SandboxAccount = z.infer<typeof SandboxAccount>;
export type SandboxChain = z.infer<typeof SandboxChain>;
export type Sandbox = z.infer<typeof Sandbox>;
