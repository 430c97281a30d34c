import type { PaymentPayloadV2 } from "../../lib/x402/types.ts";
import { serveWeb } from "./serve-web.ts";

type Offer = Record<string, unknown>;

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64");

/** Creates an offer of version 2, of 0.050 HBD to shop on the sandbox's chain. */
export const makeOfferV2 = (changes: Offer = {}): Offer => ({
  scheme: "exact",
  network: "chain:sandbox",
  amount: "50",
  asset: "HBD",
  payTo: "shop",
  maxTimeoutSeconds: 300,
  ...changes,
});

/** The header by which a server of version 2 confirms a payment. */
export const receiptV2 = {
  "payment-response": encode({ success: true, transaction: "b".repeat(40), network: "chain:sandbox" }),
};

/** The header by which a server of version 2 says that a settlement has not succeeded. */
export const failedV2 = (errorReason: string, transaction = "") => ({
  "payment-response": encode({ success: false, errorReason, transaction, network: "chain:sandbox" }),
});

/**
 * Starts a server that requires payment like official ones of version 2, settles nothing, and records the
 * payments. `message` replaces parts of the 402's header, and `also` adds headers and a body of another
 * version.
 */
export async function serveVersion2(
  accepts: Offer[],
  options: {
    message?: Record<string, unknown> | ((asked: URL) => Record<string, unknown>);
    also?: { headers?: Record<string, string>; body?: unknown };
    paid?: (count: number) => Response | Promise<Response>;
  } = {},
) {
  const { message, also = {}, paid = () => Response.json({ ok: true }, { headers: receiptV2 }) } = options;
  const sent: Headers[] = [];
  const isPaid = (headers: Headers) => headers.has("payment-signature") || headers.has("x-payment");
  const server = await serveWeb((request) => {
    sent.push(new Headers(request.headers));
    if (isPaid(request.headers)) return paid(sent.filter(isPaid).length);
    const { url } = request;
    const changes = typeof message === "function" ? message(new URL(url)) : message;
    const required = { x402Version: 2, resource: { url }, accepts, ...changes };
    const headers = { "payment-required": encode(required), ...also.headers };
    return Response.json(also.body ?? {}, { status: 402, headers });
  });
  return {
    ...{ url: server.url, host: new URL(server.url).host, close: server.close },
    sent,
    /** Returns the payments of version 2, decoded. */
    payments: () =>
      sent.flatMap((headers) => {
        const text = headers.get("payment-signature");
        return text === null
          ? []
          : [JSON.parse(Buffer.from(text, "base64").toString("utf8")) as PaymentPayloadV2];
      }),
  };
}
