import { z } from "zod";
import { isAccountName } from "../../hive/account-name.ts";
import type { Mils } from "../../mils.ts";
import { readAtomic } from "../amount.ts";
import { readIsoTime } from "../check-options.ts";
import { nonceOf } from "../header.ts";
import { PayloadOfTransfer, PaymentPayload } from "../schemas.ts";
import { isTicketNonce, memoOfTicket } from "../ticket-memo.ts";
import { readAmount, readTransfer, type SignedTransfer } from "../transfer.ts";
import { type Finality, finalities } from "./finality.ts";
import type { Reason } from "./reasons.ts";

const Text = z.string().max(2048);

/** Only the fields that decide about a payment; any others concern the resource server. */
const Requirements = z.object({
  x402Version: z.number().optional(),
  scheme: Text,
  network: Text,
  payTo: Text,
  /**
   * Compared only with the resource of an earlier call, because a repeat under a key must be for the same
   * resource. Version 2 sends an object.
   */
  resource: z.union([Text, z.object({ url: Text })]).optional(),
  asset: Text.optional(),
  /** The amount in version 1. */
  maxAmountRequired: Text.optional(),
  validBefore: Text.optional(),
  /** The amount in version 2. */
  amount: Text.optional(),
  maxTimeoutSeconds: z.number().positive().optional(),
  /** A seller can require a stricter finality than ours. */
  extra: z
    .object({
      finality: z.enum(finalities).optional().catch(undefined),
      assetTransferMethod: Text.optional().catch(undefined),
      /** The payer that has the content already, so that a sent transfer is owed back and never counts. */
      returnTo: z.string().max(16).optional(),
    })
    .optional()
    .catch(undefined),
});

const Payload = z.object({
  x402Version: z.number(),
  scheme: Text.optional(),
  network: Text.optional(),
  accepted: z.object({ scheme: Text, network: Text, payTo: Text, amount: Text }).optional(),
  payload: z.union([
    z.object({
      signedTransaction: z.record(z.string(), z.unknown()),
      nonce: z.unknown().optional(),
      holder: PaymentPayload.shape.payload.shape.holder.catch(undefined),
    }),
    PayloadOfTransfer,
  ]),
  /** Version 2 names the resource here. */
  resource: z.object({ url: Text }).optional().catch(undefined),
  extensions: z.record(z.string(), z.unknown()).optional().catch(undefined),
});

/** Maximum body of `/verify` and `/settle`. */
export const PAYMENT_REQUEST_BYTES = 32 * 1024;

/** The body of `/verify` and `/settle`. */
export const PaymentRequest = z.object({
  x402Version: z.number().optional(),
  paymentPayload: Payload,
  paymentRequirements: Requirements,
});
export type PaymentRequest = z.infer<typeof PaymentRequest>;

/** A request about a sent transfer, which the chain has or will have. */
export type ParsedTicket = {
  ticket: string;
  memo: string;
  payTo: string;
  amountMils: Mils;
  /** The name from the requirements, so that the caller recognizes it in the answer. */
  network: string;
  resource: string | undefined;
  /** The end of the offer, in ms since 1970; unlimited if the requirements name none. */
  endMs: number;
  maxTimeoutMs: number;
  finality: Finality | undefined;
  /** The payer to whom the transfer is owed back instead of counting. */
  returnTo: string | undefined;
  announced: ParsedPayment["announced"];
};

/** A payment that meets its requirements, checked without the chain. */
export type ParsedPayment = {
  transfer: SignedTransfer;
  /** The name from the requirements, so that the caller recognizes it in the answer. */
  network: string;
  resource: string | undefined;
  /** The payer's secret, if the seller passes it on. */
  holder: string | undefined;
  validBeforeMs: number;
  maxTimeoutMs: number;
  finality: Finality | undefined;
  /** The unchecked parts of the payment that describe its resource to the catalogue. */
  announced: Readonly<{ address: string | undefined; extensions: unknown }>;
};

/** `txId` is the id in the legacy packing, if the transaction could be parsed. */
export type Refusal = { reason: Reason; payer?: string; txId?: string };

/** Compares payload and requirements with each other and with the supported networks; returns the first fault. */
export function parsePaymentRequest(
  request: PaymentRequest,
  networks: readonly string[],
): ParsedPayment | ParsedTicket | Refusal {
  const { paymentPayload: payload, paymentRequirements: requirements } = request;
  const versions = [payload.x402Version, requirements.x402Version, request.x402Version];
  const version = payload.x402Version;
  if ((version !== 1 && version !== 2) || versions.some((other) => other !== undefined && other !== version))
    return { reason: "unsupported_version" };
  const named = version === 2 && payload.accepted ? payload.accepted : payload;
  if (named.scheme !== "exact" || requirements.scheme !== "exact") return { reason: "unsupported_scheme" };
  if (![named.network, requirements.network].every((name) => name !== undefined && networks.includes(name)))
    return { reason: "unsupported_network" };

  if (requirements.asset !== undefined && requirements.asset !== "HBD") return { reason: "asset_mismatch" };
  const wanted = version === 1 ? requirements.maxAmountRequired : requirements.amount;
  if (wanted === undefined) return { reason: "invalid_payload" };
  const wantedMils = readWanted(wanted, version);
  if (typeof wantedMils === "string") return { reason: wantedMils };
  const validBeforeMs = readValidBefore(requirements.validBefore, version);
  if (validBeforeMs === null) return { reason: "requirements_expired" };

  const resource = addressOf(requirements.resource);
  const common = {
    ...{ network: requirements.network, resource, finality: requirements.extra?.finality },
    maxTimeoutMs: (requirements.maxTimeoutSeconds ?? Number.POSITIVE_INFINITY) * 1000,
    announced: { address: resource ?? payload.resource?.url, extensions: payload.extensions },
  };
  if ("claim" in payload.payload) {
    const { claim: ticket } = payload.payload;
    const { payTo, extra } = requirements;
    if (version !== 2) return { reason: "unsupported_version" };
    if (extra?.assetTransferMethod !== "memo" || !isAccountName(payTo)) return { reason: "invalid_payload" };
    return {
      ...{ ...common, ticket, memo: memoOfTicket(ticket), payTo },
      ...{ amountMils: wantedMils, endMs: validBeforeMs, returnTo: extra.returnTo },
    };
  }
  const transfer = readTransfer(payload.payload.signedTransaction);
  if (typeof transfer === "string") return { reason: transfer };
  const refuse = (reason: Reason): Refusal => ({
    reason,
    payer: transfer.from,
    txId: transfer.ids.legacy,
  });
  if (transfer.to !== requirements.payTo) return refuse("recipient_mismatch");
  if (transfer.from === transfer.to) return refuse("self_payment");
  if (transfer.amountMils !== wantedMils) return refuse("amount_mismatch");
  const nonce = nonceOf(transfer.memo);
  if (nonce === undefined) return refuse("memo_invalid");
  if (payload.payload.nonce !== nonce || isTicketNonce(nonce)) return refuse("nonce_mismatch");
  return { ...common, transfer, holder: payload.payload.holder, validBeforeMs };
}

const addressOf = (resource: PaymentRequest["paymentRequirements"]["resource"]) =>
  typeof resource === "object" ? resource.url : resource;

/**
 * Reads the amount of an offer. Version 2 counts in the smallest unit; the Hive drafts also use the text
 * format there.
 */
function readWanted(text: string, version: number): ReturnType<typeof readAmount> {
  return (version === 2 ? readAtomic(text) : null) ?? readAmount(text);
}

/** Returns `null` for a missing or unreadable time, which must not mean "forever". */
function readValidBefore(text: string | undefined, version: number): number | null {
  if (text === undefined) return version === 2 ? Number.POSITIVE_INFINITY : null;
  return readIsoTime(text);
}
