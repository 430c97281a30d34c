import { z } from "zod";
import { errorTable } from "../errors.ts";
import { refusalCodes, rejectionCodes, unavailableCodes } from "../x402/paywall/refusals.ts";
import {
  PaymentRequired as AnyPaymentRequired,
  PaymentRequirements,
  SettleResponse,
  VerifyResponse,
} from "../x402/schemas.ts";
import { text, whole } from "./examples.ts";

const codes = errorTable.map(({ code }) => code);

/** The common body of a refusal. */
export const Failure = z.object({
  error: z.string().describe("one English sentence"),
  code: z.enum(codes),
  requestId: text("0f5c1f9e-3d0a-4c39-9d0c-2a4b6c8d0e1f", "also in `x-request-id` and the log"),
  issues: z
    .array(z.object({ path: text("message"), message: text("must not be empty") }))
    .optional()
    .describe("with `invalid_request`: the invalid fields and their problems"),
});

/** Fields that a facilitator's refusals have in addition to those of the protocol. */
const { error, code, requestId, issues } = Failure.shape;
const refusal = { error, code, requestId, issues };

/** A facilitator that fails itself says so instead of giving a reason. */
const failures = [
  "invalid_payload",
  ...errorTable.flatMap(({ code, status }) => (status < 500 ? [] : [code])),
];

const Offer = PaymentRequirements.meta({
  examples: [
    {
      x402Version: 1,
      scheme: "exact",
      network: "chain:mainnet",
      maxAmountRequired: "0.050 HBD",
      resource: "https://shop.example.org/report",
      payTo: "shop",
      validBefore: "2026-01-01T00:05:00.000Z",
      extra: { nonce: "n".repeat(32) },
    },
  ],
});

/** The body of a 402. */
export const PaymentRequired = z.looseObject({
  ...AnyPaymentRequired.shape,
  x402Version: whole(1),
  code: z.enum(refusalCodes).optional(),
  accepts: z.array(Offer),
});

/** The body of a paywall's 503. */
export const PaymentUnavailable = z.object({
  error: z.string().describe("one English sentence"),
  code: z.enum([...unavailableCodes, "overloaded"]),
  requestId: z.string().optional(),
});

/** The body of a 400 or 409 of a paywall, or of the gateway around it. */
export const PaymentRejected = Failure.extend({
  code: z.enum([...rejectionCodes, "invalid_request"]),
  requestId: z.string().optional(),
});

export const VerifyFailure = VerifyResponse.extend({ invalidReason: z.enum(failures), ...refusal });
export const SettleFailure = SettleResponse.extend({ errorReason: z.enum(failures), ...refusal });
