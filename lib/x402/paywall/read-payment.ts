import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { z } from "zod";
import { decodeBase64Json, MAX_PAYMENT_CHARACTERS, nonceOf } from "../header.ts";
import * as schemas from "../schemas.ts";
import { isTicketNonce, memoOfTicket } from "../ticket-memo.ts";
import { readTransfer, type SignedTransfer } from "../transfer.ts";
import type { PaymentOfTransfer, PaymentPayload } from "../types.ts";
import { type PaymentIdentifier, readIdentifier } from "./payment-identifier.ts";

/** A payment of version 2 repeats the offer that it pays; the signed content is the same. */
const Version2 = z.object({
  x402Version: z.literal(2),
  accepted: z.object({ scheme: z.string(), network: z.string() }),
  payload: z.union([schemas.PaymentPayload.shape.payload, schemas.PayloadOfTransfer]),
});

type Brought = {
  /** The chain's name in the offer that was paid. */
  network: string;
  /** Identifies the signed content, whichever packing was signed, and whoever signed it, or the ticket. */
  id: string;
  /** SHA-256 of the payer's secret in hex, if the payment has one; the secret itself is not stored. */
  holder: string | undefined;
  /** The payer's id for the payment, in version 2. */
  identifier: PaymentIdentifier | "malformed" | null;
};

/** A signed payment in a request, checked without chain and facilitator. */
export type BroughtPayment = Brought & {
  kind: "signed";
  transfer: SignedTransfer;
  payer: string;
  payTo: string;
  nonce: string;
};

/** The ticket of an offer in a request, unchecked. Its payer has sent the transfer, or is about to. */
export type BroughtTicket = Brought & {
  kind: "ticket";
  ticket: string;
  memo: string;
  txId: string | undefined;
};

/** The payment header of a request, in either version of the protocol. */
export type PaymentHeader = { version: 1 | 2; text: string };

/** Parses a payment header, or returns the code of its first fault. */
export function parsePaymentHeader(
  header: PaymentHeader,
  networks: readonly string[],
): BroughtPayment | BroughtTicket | string {
  const decoded = decode(header);
  if (decoded === null) return "invalid_payload";
  const { version, scheme, network, payload, identifier } = decoded;
  if (version !== 1) return "unsupported_version";
  if (scheme !== "exact") return "unsupported_scheme";
  if (!networks.includes(network)) return "unsupported_network";
  if ("claim" in payload) {
    const { claim: ticket, txId } = payload;
    return { ...bringTicket(ticket, network), txId, identifier };
  }
  const transfer = readTransfer(payload.signedTransaction);
  if (typeof transfer === "string") return transfer;
  const nonce = nonceOf(transfer.memo);
  if (nonce === undefined) return "memo_invalid";
  if (nonce !== payload.nonce || isTicketNonce(nonce)) return "nonce_mismatch";
  const { holder } = payload;
  return {
    ...{ kind: "signed", network, transfer, nonce, id: transfer.ids.legacy, identifier },
    ...{ payer: transfer.from, payTo: transfer.to },
    holder: holder === undefined ? undefined : hashOf(holder),
  };
}

/** Creates what a request with nothing but a ticket brings. */
export function bringTicket(ticket: string, network: string): BroughtTicket {
  const memo = memoOfTicket(ticket);
  const holder = hashOf(ticket);
  return { kind: "ticket", network, ticket, memo, txId: undefined, id: memo, identifier: null, holder };
}

const hashOf = (secret: string) => bytesToHex(sha256(utf8ToBytes(secret)));

type Decoded = Pick<PaymentPayload, "scheme" | "network"> & {
  /** The version of the signed content, which is the same in both versions of the protocol. */
  version: number;
  payload: PaymentPayload["payload"] | PaymentOfTransfer["payload"];
  identifier: Brought["identifier"];
};

/** Decodes the text of either header, because some clients of version 2 use the header of version 1. */
function decode({ version, text }: PaymentHeader): Decoded | null {
  try {
    const value = decodeBase64Json(text, MAX_PAYMENT_CHARACTERS);
    const second = Version2.safeParse(value);
    if (second.success) {
      const { accepted, payload } = second.data;
      return { ...accepted, version: 1, payload, identifier: readIdentifier(value) };
    }
    if (version !== 1) return null;
    const { x402Version, ...first } = schemas.PaymentPayload.parse(value);
    return { ...first, version: x402Version, identifier: null };
  } catch {
    // The text is not base64 or not JSON, or has another shape; all of these get the same answer.
    return null;
  }
}
