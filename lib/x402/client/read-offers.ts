import { readJson } from "../../async/read-body.ts";
import {
  decodeBase64Json,
  HEADER_PAYMENT,
  HEADER_PAYMENT_RESPONSE,
  HEADER_V2_PAYMENT,
  HEADER_V2_REQUIRED,
  HEADER_V2_RESPONSE,
} from "../header.ts";
import { asRecord } from "./as-record.ts";

const MAX_HEADER_CHARACTERS = 65_536;
const MAX_OFFERS = 50;

/** The header that carries a payment to its server. */
export type PaymentHeaderName = typeof HEADER_PAYMENT | typeof HEADER_V2_PAYMENT;

/** One entry of `accepts` as the server sent it, with the parts of its message that apply to all entries. */
export type OfferEntry = {
  entry: unknown;
  /** The version of the protocol that the entry, its message or its shape names. */
  version: unknown;
  /** The resource that a message of version 2 is about. */
  resource?: unknown;
  /** The extensions that a message of version 2 announces. */
  extensions?: unknown;
  sentAs: PaymentHeaderName;
};

/**
 * Returns the offers in a 402 answer; there may be none. Those of version 1 come first, from the body or else
 * from `x-payment`; those of version 2 follow, from `payment-required`, where official servers send them, or
 * else from the same places.
 */
export async function readOffers(response: Response): Promise<OfferEntry[]> {
  const { headers } = response;
  const body = await readJson(response);
  const inHeader = readHeader(headers.get(HEADER_PAYMENT));
  const required = readHeader(headers.get(HEADER_V2_REQUIRED));
  const version1 = [body, inHeader, required].map((message) =>
    entriesIn(message, HEADER_PAYMENT).filter(({ version }) => version !== 2),
  );
  const version2 = [
    entriesIn(required, HEADER_V2_PAYMENT),
    // A server that uses `x-payment` reads no other header.
    entriesIn(inHeader, HEADER_PAYMENT),
    entriesIn(body, HEADER_V2_PAYMENT),
  ].map((entries) => entries.filter(({ version }) => version === 2));
  const found = [...firstFound(version1), ...firstFound(version2)];
  return [...found, ...(found.some(isSentTransfer) ? [] : transferIn(body))];
}

const isSentTransfer = ({ entry }: OfferEntry) =>
  asRecord(asRecord(entry).extra).assetTransferMethod !== undefined;

/** Returns the offer to pay by a sent transfer in a body of version 1, which may be too long for the header. */
function transferIn(body: unknown): OfferEntry[] {
  const { transfer, accepts } = asRecord(body);
  if (transfer === undefined) return [];
  const [first] = Array.isArray(accepts) ? (accepts as unknown[]) : [];
  const { resource: url, description } = asRecord(first);
  return [{ entry: transfer, version: 2, resource: { url, description }, sentAs: HEADER_V2_PAYMENT }];
}

/**
 * Returns the extensions that a 402 answer announces in its body and in its header of version 2. The answer
 * stays readable.
 */
export async function readExtensions(response: Response): Promise<unknown> {
  const required = asRecord(readHeader(response.headers.get(HEADER_V2_REQUIRED)));
  const body = asRecord(await readJson(response.clone()));
  return { ...asRecord(body.extensions), ...asRecord(required.extensions) };
}

/** Returns the offers in a message that asks for payment, of either version. */
export function entriesIn(message: unknown, sentAs: PaymentHeaderName = HEADER_V2_PAYMENT): OfferEntry[] {
  const { accepts, x402Version, resource, extensions } = asRecord(message);
  if (!Array.isArray(accepts)) return [];
  return accepts.slice(0, MAX_OFFERS).map((entry: unknown) => ({
    ...{ entry, version: asRecord(entry).x402Version ?? x402Version ?? versionOf(entry) },
    ...{ resource, extensions, sentAs },
  }));
}

/** Returns the version of an offer whose message names none. */
export function versionOf(entry: unknown): 1 | 2 {
  const { amount, maxAmountRequired } = asRecord(entry);
  return amount !== undefined && maxAmountRequired === undefined ? 2 : 1;
}

const firstFound = (lists: OfferEntry[][]) => lists.find(({ length }) => length > 0) ?? [];

/**
 * Returns the code of a refusal, from Hivegate's field or that of official servers. The answer stays
 * readable.
 */
export async function readCode(response: Response): Promise<string | undefined> {
  const { headers } = response;
  const body = await readJson(response.clone());
  const receipt = readHeader(headers.get(HEADER_V2_RESPONSE) ?? headers.get(HEADER_PAYMENT_RESPONSE));
  return codeIn(body, receipt, readHeader(headers.get(HEADER_V2_REQUIRED)));
}

/** Returns the code in the parts of a refusal: our message, the receipt, or the message of version 2. */
export function codeIn(message: unknown, receipt: unknown, required: unknown): string | undefined {
  const codes = [asRecord(message).code, asRecord(receipt).errorReason, asRecord(required).error];
  // Some servers send a sentence in place of a code.
  return codes.find((code): code is string => typeof code === "string" && /^[a-z0-9_]+$/.test(code));
}

function readHeader(text: string | null): unknown {
  try {
    return text === null ? null : decodeBase64Json(text, MAX_HEADER_CHARACTERS);
  } catch {
    // A header of another format counts as missing.
    return null;
  }
}
