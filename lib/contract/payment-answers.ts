import { z } from "zod";
import { reasons } from "../x402/facilitator/reasons.ts";
import { SettleResponse, VerifyResponse } from "../x402/types.ts";
import { isoTime, text, whole } from "./examples.ts";
import { PaymentRequired, PaymentUnavailable, SettleFailure, VerifyFailure } from "./refusals.ts";

const account = text("alice");
const txId = text("5f".repeat(20), "the transaction's id");
const hbd = text("0.050 HBD");

const settled = {
  success: true,
  txId: "5f".repeat(20),
  blockNum: 12_345_678,
  payer: "alice",
  transaction: "5f".repeat(20),
  network: "chain:mainnet",
};

/** What concerns payments, by its names in the document. */
export const paymentAnswers = {
  PaymentRequired,
  PaymentUnavailable,
  VerifyResponse: VerifyResponse.extend({ invalidReason: z.enum(reasons).optional() }).meta({
    examples: [{ isValid: true, payer: "alice" }],
  }),
  SettleResponse: SettleResponse.extend({ errorReason: z.enum(reasons).optional() }).meta({
    examples: [settled],
  }),
  VerifyFailure,
  SettleFailure,
  Supported: z.looseObject({
    kinds: z.array(
      z.object({ x402Version: whole(1), scheme: text("exact"), network: text("chain:mainnet") }),
    ),
  }),
  FacilitatorHealth: z.looseObject({ status: z.enum(["ok", "degraded"]), network: text("chain:mainnet") }),
  Payments: z.object({
    account,
    balance: hbd,
    payments: z.array(
      z.object({
        txId,
        blockNum: whole(12_345_678),
        time: isoTime,
        from: account,
        to: text("shop"),
        amount: hbd,
        direction: z.enum(["paid", "earned"]),
      }),
    ),
  }),
} as const;
