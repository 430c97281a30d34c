import { decodePayment } from "../../lib/x402/codec.ts";
import { serveWeb } from "./serve-web.ts";

type Offer = Record<string, unknown>;

export type SentRequest = {
  method: string;
  url: string;
  payment: string | null;
  body: string;
  headers: Headers;
};

/** Creates an offer of 0.050 HBD to shop on the sandbox's chain, valid for five minutes. */
export const makeOffer = (changes: Offer = {}): Offer => ({
  x402Version: 1,
  scheme: "exact",
  network: "chain:sandbox",
  maxAmountRequired: "0.050 HBD",
  resource: "/a",
  payTo: "shop",
  validBefore: new Date(Date.now() + 300_000).toISOString(),
  ...changes,
});

/** Headers by which a seller confirms a payment. */
export const receipt = {
  "x-payment-response": Buffer.from(JSON.stringify({ success: true, txId: "a".repeat(40) })).toString(
    "base64",
  ),
};

/**
 * Starts a server that requires payment and settles nothing, and records its requests. `paid` answers
 * requests with a payment.
 */
export async function serveOffers(
  accepts: Offer[],
  options: {
    paid?: (request: SentRequest, count: number) => Response | Promise<Response>;
    as?: "body" | "header" | "both";
  } = {},
) {
  const { paid = () => Response.json({ ok: true }, { headers: receipt }), as = "both" } = options;
  const sent: SentRequest[] = [];
  const server = await serveWeb(async (request) => {
    const { method, url, headers } = request;
    const payment = headers.get("x-payment");
    const one = { method, url, payment, body: await request.text(), headers };
    sent.push(one);
    if (payment !== null) return paid(one, sent.filter((other) => other.payment !== null).length);
    const text = JSON.stringify({ x402Version: 1, accepts });
    const offered: Record<string, string> =
      as === "body" ? {} : { "x-payment": Buffer.from(text).toString("base64") };
    return new Response(as === "header" ? "<html>" : text, { status: 402, headers: offered });
  });
  const payments = () => sent.flatMap(({ payment }) => (payment === null ? [] : [decodePayment(payment)]));
  return {
    url: server.url,
    host: new URL(server.url).host,
    sent,
    /** The received payments, decoded. */
    payments,
    /** Returns the transfers in the received payments. */
    transfers: () =>
      payments().map(({ payload }) => {
        const [[, transfer]] = payload.signedTransaction.operations as [[string, Record<string, string>]];
        return transfer;
      }),
    close: server.close,
  };
}
