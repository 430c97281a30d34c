import { z } from "zod";
import { MOST_TO_RETURN, returnCauses } from "./return-causes.ts";
import { TICKET } from "./ticket-memo.ts";
import type * as types from "./types.ts";

export const PaymentRequirements = z.object({
  x402Version: z.number(),
  scheme: z.string(),
  network: z.string(),
  maxAmountRequired: z.string(),
  resource: z.string(),
  payTo: z.string(),
  validBefore: z.string(),
  description: z.string().optional(),
  mimeType: z.string().optional(),
  extra: z.record(z.string(), z.unknown()).optional(),
}) satisfies z.ZodType<types.PaymentRequirements>;

const TransferOffer = z.object({
  scheme: z.string(),
  network: z.string(),
  amount: z.string(),
  asset: z.string(),
  payTo: z.string(),
  maxTimeoutSeconds: z.number(),
  extra: z.object({
    assetTransferMethod: z.literal("memo"),
    paymentFlow: z.literal("upfront"),
    memo: z.string().describe("the public memo of the transfer, by which the seller finds it"),
    claim: z.string().describe("the secret that opens the page once the transfer is in a block"),
    hiveUri: z.string().describe("a link to the transfer for wallets that open `hive://`"),
  }),
}) satisfies z.ZodType<types.TransferOffer>;

const TransferReturn = z.object({
  txId: z.string(),
  operation: z.number(),
  payer: z.string(),
  amount: z.string(),
  cause: z.enum(returnCauses),
  state: z
    .enum(["noted", "sending", "returned"])
    .describe(
      "`noted`: in the seller's books; `sending`: the seller's signer sends it now; `returned`: it was sent back",
    ),
}) satisfies z.ZodType<types.TransferReturn>;

export const PaymentRequired = z.object({
  x402Version: z.number(),
  error: z.string().optional().describe("one English sentence"),
  code: z.string().optional(),
  accepts: z.array(PaymentRequirements),
  transfer: TransferOffer.optional().describe(
    "the same price by a transfer that the payer's wallet sends itself; version 2 lists it in `accepts`",
  ),
  returns: z
    .array(TransferReturn)
    .optional()
    .describe("the sent transfers of the presented claim that bought nothing, and are returned"),
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
      "`sign-in-with-x`: the text that an account signs if it has bought the resource before; `bazaar`: how to call the resource, and what it returns",
    ),
}) satisfies z.ZodType<types.PaymentRequired>;

export const SignedTransaction = z.strictObject({
  ref_block_num: z.number(),
  ref_block_prefix: z.number(),
  expiration: z.string(),
  operations: z.array(z.unknown()).max(8),
  extensions: z.array(z.unknown()).max(8),
  signatures: z.array(z.string()).max(64),
}) satisfies z.ZodType<types.SignedTransaction>;

export const PaymentPayload = z.object({
  x402Version: z.number(),
  scheme: z.string(),
  network: z.string(),
  payload: z.object({
    signedTransaction: SignedTransaction,
    nonce: z.string(),
    holder: z
      .string()
      .regex(/^[A-Za-z0-9_-]{22,86}$/)
      .optional(),
  }),
}) satisfies z.ZodType<types.PaymentPayload>;

export const PayloadOfTransfer = z.object({
  type: z.literal("memo"),
  claim: z.string().regex(TICKET),
  txId: z
    .string()
    .regex(/^[0-9a-f]{40}$/)
    .optional(),
}) satisfies z.ZodType<types.PaymentOfTransfer["payload"]>;

export const TransferToReturn = z.object({
  txId: z.string().regex(/^[0-9a-f]{40}$/),
  operation: z.number().int().nonnegative().describe("index of the transfer in its transaction"),
  blockNum: z.number().int().positive(),
  payer: z.string().max(16),
  amount: z.string().max(32),
  cause: z.enum(returnCauses),
}) satisfies z.ZodType<types.TransferToReturn>;

const toReturn = z
  .array(TransferToReturn)
  .max(MOST_TO_RETURN)
  .optional()
  .describe("the sent transfers with the memo of the payment that buy nothing");

export const VerifyResponse = z.object({
  isValid: z.boolean(),
  invalidReason: z.string().optional(),
  payer: z.string().optional(),
  toReturn,
}) satisfies z.ZodType<types.VerifyResponse>;

export const SettleResponse = z.object({
  success: z.boolean(),
  txId: z.string().optional(),
  blockNum: z.number().optional(),
  errorReason: z.string().optional(),
  payer: z.string().optional(),
  transaction: z.string().optional(),
  network: z.string().optional(),
  operation: z.number().optional().describe("index of a sent transfer in its transaction"),
  toReturn,
}) satisfies z.ZodType<types.SettleResponse>;

export const SupportedResponse = z.object({
  kinds: z.array(
    z.object({
      x402Version: z.number(),
      scheme: z.literal("exact"),
      network: z.string(),
      extra: z
        .object({
          chainId: z.string().optional().describe("the chain's id, if it is not the main chain"),
          nodes: z.array(z.string()).optional().describe("its public nodes"),
          assetTransferMethods: z
            .array(z.string())
            .optional()
            .describe("methods of payment beside signed transfers: `memo` finds sent transfers"),
        })
        .optional(),
    }),
  ),
  extensions: z.array(z.string()),
  signers: z.record(z.string(), z.array(z.string())),
}) satisfies z.ZodType<types.SupportedResponse>;

export const HealthResponse = z.object({
  status: z.enum(["ok", "degraded"]),
  network: z.string(),
  headBlock: z.number().nullable(),
  chainLagSeconds: z
    .number()
    .nullable()
    .describe("age of the head by this machine's clock; negative if the head seems to be in the future"),
  store: z.enum(["ok", "unavailable"]),
  failing: z
    .array(z.enum(["chain", "store", "clock"]))
    .optional()
    .describe("the parts at fault, if `status` is `degraded`"),
  warnings: z
    .array(z.string())
    .optional()
    .describe("reasons why answers are less certain than they could be"),
  clockAheadSeconds: z
    .number()
    .optional()
    .describe(
      "the lead of this machine's clock over the chain's (negative: behind), if more than 5 s; payments continue",
    ),
}) satisfies z.ZodType<types.HealthResponse>;
