import type { ServerResponse } from "node:http";
import type { Context, MiddlewareHandler } from "hono";
import { findResponse } from "../async/end-of-answer.ts";
import {
  addHeaders,
  findPayment,
  isPreflight,
  receiptHeaders,
  refusalAnswer,
  toResponse,
} from "./paywall/answer.ts";
import { type AskedAddress, splitUrl } from "./paywall/asked-address.ts";
import { type PaywallOptions, readOptions } from "./paywall/options.ts";
import { createPaywallCheck } from "./paywall/paywall-check.ts";
import { notWrittenDown } from "./paywall/take-payment.ts";
import { endWithBody } from "./paywall/watch-body.ts";
import { isUnserved } from "./unserved.ts";

/**
 * A Hono middleware that lets paid requests through; `c.get("payer")` and `c.get("txId")` tell who paid. A payment buys
 * one answer that is not 408, 425, 429 or 5xx, and that is sent to its end. A cross-origin preflight is answered with 204: put CORS middleware before.
 * The functions among the options get Hono's context.
 * @throws TypeError for options that make no sense.
 * @example app.get("/article", honoPaywall({ amount: "0.050 HBD", receivingAccount: "shop", facilitatorUrl }), (c) =>
 *   c.json({ payer: c.get("payer") }),
 * );
 */
export function honoPaywall(
  options: PaywallOptions<Context>,
): MiddlewareHandler<{ Variables: { payer: string; txId: string } }> {
  const settings = readOptions(options);
  const check = createPaywallCheck(settings);

  return async function honoPaywall(c, next) {
    const { raw: request } = c.req;
    const { method } = request;
    const header = (name: string) => request.headers.get(name);
    const payment = findPayment(header);
    const decision = await check({
      method,
      address: addressOf(c),
      payment,
      isPreflight: isPreflight(method, header),
      raw: c,
    });
    const asked = { method, header, raw: c, settings };
    if (decision.kind !== "admitted") return toResponse(refusalAnswer(decision, asked));

    const { delivery, payer, txId } = decision;
    c.set("payer", payer);
    c.set("txId", txId);
    const receipt = receiptHeaders(decision, payment);
    let response: Response;
    try {
      await next();
      // Throws for an answer whose body was read or sent before.
      response = addHeaders(c.res, receipt);
    } catch (error) {
      await delivery.fail();
      throw error;
    }
    // Hono catches what a handler throws; an HTTPException is an answer, whatever else is a failure under any status.
    const isFault = c.error !== undefined && !("getResponse" in c.error);
    if (isFault || isUnserved(response.status)) await delivery.fail();
    else if (request.signal.aborted) await delivery.leave();
    else if (await delivery.begin()) response = await endWithBody(response, request, delivery, responseOf(c));
    else {
      await response.body?.cancel().catch(() => {
        // It had failed already.
      });
      response = addHeaders(toResponse(refusalAnswer(notWrittenDown, asked)), receipt);
    }
    // Hono adds the old answer's headers to a new one, unless it is taken away first.
    c.res = undefined;
    c.res = response;
  };
}

/** On Node, Hono's server has resolved the URL, and hands the request that holds the target as `env.incoming`. */
function addressOf({ req, env }: Context): AskedAddress {
  const { origin, target } = splitUrl(req.raw.url);
  const { incoming } = (env ?? {}) as { incoming?: { originalUrl?: string; url?: string } };
  return { origin, target: incoming?.originalUrl ?? incoming?.url ?? target };
}

/** The response of `node:http` that Hono's server writes the answer to, on Node. */
function responseOf({ req, env }: Context): ServerResponse | undefined {
  const { outgoing } = (env ?? {}) as { outgoing?: ServerResponse };
  return outgoing ?? findResponse(req.raw);
}

export type { ClaimStore } from "./paywall/claims.ts";
export type { PaywallOptions } from "./paywall/options.ts";
