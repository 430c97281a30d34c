import { randomUUID } from "node:crypto";
import { decodePayment } from "../../lib/x402/codec.ts";
import type { PaymentPayloadV2, PaymentRequiredV2 } from "../../lib/x402/types.ts";
import { decodeHeader } from "./ask-paid.ts";

/** Returns a payment id such as payers choose. */
export const makeId = () => `pay_${randomUUID()}`;

/** Packs a signed payment into version 2 as clients do that echo the extensions of a 402, with an id. */
export function identify(payment: string, asked: Response, id: unknown = makeId()): PaymentPayloadV2 {
  const required = decodeHeader<PaymentRequiredV2>(asked, "payment-required");
  const { "payment-identifier": announced, ...others } = required.extensions ?? {};
  const { info, ...rest } = announced as { info: Record<string, unknown> };
  const [accepted] = required.accepts;
  if (!accepted) throw new Error("no offer");
  return {
    x402Version: 2,
    accepted,
    payload: decodePayment(payment).payload,
    extensions: { ...others, "payment-identifier": { ...rest, info: { ...info, id } } },
  };
}

const encode = (payload: unknown) => Buffer.from(JSON.stringify(payload)).toString("base64");

/** Sends a payment of version 2 once. */
export const sendIdentified = (url: string, payload: unknown, init: RequestInit = {}) =>
  fetch(url, { ...init, headers: { ...init.headers, "payment-signature": encode(payload) } });

/** Limit for a hanging call. On a busy machine, a working call may take a while. */
const PATIENCE_MS = 60_000;

/** Sends a payment of version 2 repeatedly while the server answers "not yet". @throws Error if it never stops */
export async function askIdentified(url: string, payload: unknown): Promise<Response> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const response = await sendIdentified(url, payload);
    if (response.status !== 503) return response;
    const text = await response.text();
    if (performance.now() > end) throw new Error(`${url} still answers 503: ${text}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
