import { z } from "zod";

/** One offer of a 402 answer: the amount, the payee and the resource. */
export const PaymentRequirements = z.object({
  x402Version: z.number(),
  scheme: z.string(),
  network: z.string(),
  /** The price, such as "0.050 HBD". */
  maxAmountRequired: z.string(),
  resource: z.string(),
  payTo: z.string(),
  /** The time in ISO 8601. */
  validBefore: z.string(),
  description: z.string().optional(),
  mimeType: z.string().optional(),
  /** `nonce` is the server's suggestion for the memo, and opens only this resource. */
  extra: z.record(z.string(), z.unknown()).optional(),
});
export type PaymentRequirements = z.infer<typeof PaymentRequirements>;

/** The body of a 402 answer and, as base64, its `x-payment` header. */
export const PaymentRequired = z.object({
  x402Version: z.number(),
  error: z.string().optional().describe("one English sentence"),
  code: z.string().optional(),
  accepts: z.array(PaymentRequirements),
  resource: z
    .object({
      serviceName: z.string().optional(),
      tags: z.array(z.string()).optional(),
      iconUrl: z.string().optional(),
    })
    .optional()
    .describe("the service that sells it, for catalogues"),
  extensions: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      "`sign-in-with-x`: what an account signs that has bought the resource before; `bazaar`: how to call the resource, and what it returns",
    ),
});
export type PaymentRequired = z.infer<typeof PaymentRequired>;

/** A transfer in the chain's own JSON, signed but not broadcast. */
export const SignedTransaction = z.strictObject({
  ref_block_num: z.number(),
  ref_block_prefix: z.number(),
  /** "2026-01-31T12:00:00", UTC. */
  expiration: z.string(),
  operations: z.array(z.unknown()).max(8),
  extensions: z.array(z.unknown()).max(8),
  signatures: z.array(z.string()).max(64),
});
export type SignedTransaction = z.infer<typeof SignedTransaction>;

/** The content of the `x-payment` request header, which is base64 of its JSON. */
export const PaymentPayload = z.object({
  x402Version: z.number(),
  scheme: z.string(),
  network: z.string(),
  payload: z.object({
    signedTransaction: SignedTransaction,
    nonce: z.string(),
    /** The payer's secret, base64url of 128 bits or more: the seller delivers only to its holder. */
    holder: z
      .string()
      .regex(/^[A-Za-z0-9_-]{22,86}$/)
      .optional(),
  }),
});
export type PaymentPayload = z.infer<typeof PaymentPayload>;

/** The resource that offers of version 2 are for. */
export type ResourceInfo = { url: string; description?: string; mimeType?: string };

/** One offer of a 402 answer of version 2. */
export type PaymentRequirementsV2 = {
  scheme: string;
  network: string;
  /** Whole 1/1000 HBD, such as "50"; some servers on Hive write "0.050 HBD". */
  amount: string;
  asset: string;
  payTo: string;
  /** Number of seconds that the payment can take to enter a block. */
  maxTimeoutSeconds: number;
  extra?: Record<string, unknown> | null;
};

/** The content of the `payment-required` header of version 2, which is base64 of its JSON. */
export type PaymentRequiredV2 = {
  x402Version: 2;
  error?: string;
  resource?: ResourceInfo;
  accepts: PaymentRequirementsV2[];
  extensions?: Record<string, unknown>;
};

/** The content of the `payment-signature` header of version 2, which is base64 of its JSON. */
export type PaymentPayloadV2 = {
  x402Version: 2;
  /** The paid offer, as the server sent it. */
  accepted: PaymentRequirementsV2;
  payload: PaymentPayload["payload"];
  resource?: ResourceInfo;
  /** The announced extensions, with the payer's additions. */
  extensions?: Record<string, unknown>;
};

/** The answer of `/verify`. */
export const VerifyResponse = z.object({
  isValid: z.boolean(),
  invalidReason: z.string().optional(),
  payer: z.string().optional(),
});
export type VerifyResponse = z.infer<typeof VerifyResponse>;

/** The answer of `/settle` and, as base64, the `x-payment-response` header of a paid answer. */
export const SettleResponse = z.object({
  success: z.boolean(),
  txId: z.string().optional(),
  blockNum: z.number().optional(),
  errorReason: z.string().optional(),
  payer: z.string().optional(),
  /** The same as `txId`, or "", for other x402 software. */
  transaction: z.string().optional(),
  network: z.string().optional(),
});
export type SettleResponse = z.infer<typeof SettleResponse>;

/** The answer of `/supported`. */
export const SupportedResponse = z.object({
  kinds: z.array(
    z.object({
      x402Version: z.number(),
      scheme: z.literal("exact"),
      network: z.string(),
      extra: z
        .object({ chainId: z.string(), nodes: z.array(z.string()) })
        .optional()
        .describe(
          "the chain's id and nodes that anybody may ask, where they are not those of the main chain",
        ),
    }),
  ),
  extensions: z.array(z.string()),
  signers: z.record(z.string(), z.array(z.string())),
});
export type SupportedResponse = z.infer<typeof SupportedResponse>;

/** The answer of `/health`. */
export const HealthResponse = z.object({
  status: z.enum(["ok", "degraded"]),
  network: z.string(),
  headBlock: z.number().nullable(),
  chainLagSeconds: z
    .number()
    .nullable()
    .describe("age of the head by this machine's clock; below 0 when the head seems to come from the future"),
  store: z.enum(["ok", "unavailable"]),
  failing: z
    .array(z.enum(["chain", "store", "clock"]))
    .optional()
    .describe("what is at fault when degraded"),
  warnings: z.array(z.string()).optional().describe("what makes the answers less sure than they could be"),
  clockAheadSeconds: z
    .number()
    .optional()
    .describe(
      "how far this machine's clock is ahead of the chain's (behind: below 0), when it is wrong by more than 5 s; payments go on",
    ),
});
export type HealthResponse = z.infer<typeof HealthResponse>;

/** The body of `/verify` and `/settle`. */
export type FacilitatorRequest = {
  x402Version: number;
  /** `extensions`: what the seller declares, such as `bazaar`. */
  paymentPayload: PaymentPayload & { extensions?: Record<string, unknown> };
  paymentRequirements: PaymentRequirements;
};

/** Verifies and settles payments; both reject when the chain or the facilitator cannot be reached. */
export type Facilitator = {
  verify(request: FacilitatorRequest): Promise<VerifyResponse>;
  settle(request: FacilitatorRequest, options?: { idempotencyKey?: string }): Promise<SettleResponse>;
  /** Returns the kinds of payments that it settles; payment pages learn the chain's nodes from it. */
  supported?(): SupportedResponse;
};
