import type { ServerResponse } from "node:http";
import type { Context, MiddlewareHandler } from "hono";
import { findResponse } from "../async/end-of-answer.ts";
import {
  addHeaders,
  findPayment,
  findSignIn,
  isPreflight,
  receiptHeaders,
  refusalAnswer,
  toResponse,
} from "./paywall/answer.ts";
import { type AskedAddress, splitUrl } from "./paywall/asked-address.ts";
import { collectBody } from "./paywall/collect-body.ts";
import { type PaywallOptions, readOptions } from "./paywall/options.ts";
import { isFailure } from "./paywall/payment-flow.ts";
import { createPaywallCheck } from "./paywall/paywall-check.ts";
import { endWithBody } from "./paywall/watch-body.ts";

/**
 * Creates a Hono middleware that admits paid requests and sets `c.get("payer")` and `c.get("txId")`. A
 * payment buys one complete answer with a status other than 408, 425, 429 or 5xx. A cross-origin preflight is
 * answered with 204, so put CORS middleware in front. Functions among the options receive Hono's context.
 * @throws TypeError for invalid options
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
      signIn: findSignIn(header),
      isPreflight: isPreflight(method, header),
      raw: c,
    });
    const asked = { method, header, raw: c, settings };
    if (decision.kind !== "admitted") return toResponse(refusalAnswer(decision, asked));

    const { delivery, payer, txId, settlement } = decision;
    c.set("payer", payer);
    c.set("txId", txId);
    let response: Response;
    let hasFailed: boolean;
    try {
      await next();
      // Throws for an answer whose body has already been read or sent.
      response = addHeaders(c.res, receiptHeaders(settlement, payment));
      // Hono catches a handler's errors. An HTTPException is an answer; anything else is a failure, whatever its status.
      const isFault = c.error !== undefined && !("getResponse" in c.error);
      hasFailed = isFault || isFailure(response.status, settings.paymentFlow);
      if (settlement === null && !hasFailed) response = await collectBody(response, request.signal);
    } catch (error) {
      await delivery.fail();
      throw error;
    }
    if (hasFailed) await delivery.fail();
    else if (request.signal.aborted) await delivery.leave();
    else {
      const begun = await delivery.begin();
      const receipt = receiptHeaders(begun.settlement, payment);
      if (begun.kind === "begun")
        response = await endWithBody(addHeaders(response, receipt), request, delivery, responseOf(c));
      else {
        await response.body?.cancel().catch(() => {
          // Ignored: the body had failed before.
        });
        response = addHeaders(toResponse(refusalAnswer(begun.refusal, asked)), receipt);
      }
    }
    // Hono adds the old answer's headers to a new one unless it is removed first.
    c.res = undefined;
    c.res = response;
  };
}

/**
 * Returns the requested address. On Node, Hono's server resolves the URL, and passes the original target in
 * `env.incoming`.
 */
function addressOf({ req, env }: Context): AskedAddress {
  const { origin, target } = splitUrl(req.raw.url);
  const { incoming } = (env ?? {}) as { incoming?: { originalUrl?: string; url?: string } };
  return { origin, target: incoming?.originalUrl ?? incoming?.url ?? target };
}

/** Returns the `node:http` response that Hono's server writes the answer to, on Node. */
function responseOf({ req, env }: Context): ServerResponse | undefined {
  const { outgoing } = (env ?? {}) as { outgoing?: ServerResponse };
  return outgoing ?? findResponse(req.raw);
}

export type { ClaimStore } from "./paywall/claim-store.ts";
export type { PaywallOptions } from "./paywall/options.ts";
