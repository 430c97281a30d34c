import type { PaymentRequired, PaymentRequirements, SettleResponse } from "../../lib/x402/types.ts";

/** Reads a base64 JSON header. */
export function decodeHeader<T>(response: Response, name: string): T {
  const text = response.headers.get(name);
  if (text === null) throw new Error(`no header ${name} on a ${response.status}`);
  return JSON.parse(Buffer.from(text, "base64").toString("utf8")) as T;
}

/**
 * Returns the single offer of a 402, after checking that header and body agree. Long texts are only in the
 * body.
 */
export async function offerOf(response: Response): Promise<PaymentRequirements & { nonce: string }> {
  if (response.status !== 402) throw new Error(`status ${response.status}: ${await response.text()}`);
  // Version 1 has neither extensions nor sent transfers in its header.
  const { extensions: _long, transfer: _sent, ...body } = (await response.json()) as PaymentRequired;
  const [requirements] = body.accepts;
  const offered = decodeHeader<PaymentRequired>(response, "x-payment");
  const told = {
    ...body,
    ...offered,
    accepts: offered.accepts.map((offer) => ({ ...requirements, ...offer })),
  };
  if (!requirements || JSON.stringify(told) !== JSON.stringify(body))
    throw new Error("header and body differ");
  return { ...requirements, nonce: String(requirements.extra?.nonce) };
}

export const receiptOf = (response: Response) => decodeHeader<SettleResponse>(response, "x-payment-response");

/** Limit for a hanging call. On a busy machine, a working call may take a while. */
const PATIENCE_MS = 60_000;

/**
 * Sends a payment repeatedly as long as the server answers 503. @throws Error if it still does after a
 * minute
 */
export async function askPaid(url: string, payment: string, init: RequestInit = {}): Promise<Response> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const response = await fetch(url, { ...init, headers: { ...init.headers, "x-payment": payment } });
    if (response.status !== 503) return response;
    const text = await response.text();
    if (performance.now() > end) throw new Error(`${url} still answers 503: ${text}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
