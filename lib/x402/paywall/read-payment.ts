import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { z } from "zod";
import { decodeBase64Json, MAX_PAYMENT_CHARACTERS, nonceOf } from "../header.ts";
import * as schemas from "../schemas.ts";
import { readTransfer, type SignedTransfer } from "../transfer.ts";
import type { PaymentPayload } from "../types.ts";
import { type PaymentIdentifier, readIdentifier } from "./payment-identifier.ts";

/** A payment of version 2 repeats the offer that it pays; the signed content is the same. */
const Version2 = z.object({
  x402Version: z.literal(2),
  accepted: z.object({ scheme: z.string(), network: z.string() }),
  payload: schemas.PaymentPayload.shape.payload,
});

/** A payment in a request, checked without chain and facilitator. */
export type BroughtPayment = {
  /** The chain's name in the offer that was paid. */
  network: string;
  transfer: SignedTransfer;
  /** Identifies the signed content, whichever packing was signed, and whoever signed it. */
  id: string;
  nonce: string;
  /** SHA-256 of the payer's secret in hex, if the payment has one; the secret itself is not stored. */
  holder: string | undefined;
  /** The payer's id for the payment, in version 2. */
  identifier: PaymentIdentifier | "malformed" | null;
};

/** The payment header of a request, in either version of the protocol. */
export type PaymentHeader = { version: 1 | 2; text: string };

/** Parses a payment header, or returns the code of its first fault. */
export function parsePaymentHeader(
  header: PaymentHeader,
  networks: readonly string[],
): BroughtPayment | string {
  const decoded = decode(header);
  if (decoded === null) return "invalid_payload";
  const { payload, identifier } = decoded;
  if (payload.x402Version !== 1) return "unsupported_version";
  if (payload.scheme !== "exact") return "unsupported_scheme";
  if (!networks.includes(payload.network)) return "unsupported_network";
  const transfer = readTransfer(payload.payload.signedTransaction);
  if (typeof transfer === "string") return transfer;
  const nonce = nonceOf(transfer.memo);
  if (nonce === undefined) return "memo_invalid";
  if (nonce !== payload.payload.nonce) return "nonce_mismatch";
  const { holder } = payload.payload;
  return {
    ...{ network: payload.network, transfer, nonce, id: transfer.ids.legacy, identifier },
    holder: holder === undefined ? undefined : bytesToHex(sha256(utf8ToBytes(holder))),
  };
}

/** Decodes the text of either header, because some clients of version 2 use the header of version 1. */
function decode({
  version,
  text,
}: PaymentHeader): { payload: PaymentPayload; identifier: BroughtPayment["identifier"] } | null {
  try {
    const value = decodeBase64Json(text, MAX_PAYMENT_CHARACTERS);
    const second = Version2.safeParse(value);
    if (!second.success)
      return version === 1 ? { payload: schemas.PaymentPayload.parse(value), identifier: null } : null;
    const { accepted, payload } = second.data;
    const { scheme, network } = accepted;
    return { payload: { x402Version: 1, scheme, network, payload }, identifier: readIdentifier(value) };
  } catch {
    // The text is not base64 or not JSON, or has another shape; all of these get the same answer.
    return null;
  }
}
