import type { IncomingMessage, ServerResponse } from "node:http";
import type { Request as ExpressRequest } from "express";
import { createNodeGate, send } from "./paywall/node-gate.ts";
import type { PaywallOptions } from "./paywall/options.ts";

declare global {
  namespace Express {
    interface Request {
      /** The account that paid, behind a paywall. */
      payer?: string;
      /** The id of the transaction that paid, behind a paywall. */
      txId?: string;
    }
  }
}

/** A request as connect-style servers pass it on. */
export type ConnectRequest = IncomingMessage & {
  originalUrl?: string;
  protocol?: string;
  payer?: string;
  txId?: string;
};

export type ConnectMiddleware = (
  request: ConnectRequest,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Creates a connect-style middleware (Express, Connect, Restify) that admits paid requests and sets
 * `req.payer` and `req.txId`. A payment buys one complete answer with a status other than 408, 425, 429 or
 * 5xx. A cross-origin preflight is answered with 204, so put CORS middleware in front. Functions among the
 * options receive the request of Express 4 or 5; on other servers, annotate the request as `ConnectRequest`.
 * @throws TypeError for invalid options
 * @example app.get("/article", paywall({ ...sandbox(), amount: "0.050 HBD", receivingAccount: "shop" }), (req, res) => {
 *   res.json({ payer: req.payer });
 * });
 */
export function paywall<Request extends ConnectRequest = ExpressRequest>(
  options: PaywallOptions<Request>,
): ConnectMiddleware {
  const gate = createNodeGate(options);

  const serve = async (request: ConnectRequest, response: ServerResponse): Promise<boolean> => {
    const refuse = send.bind(null, response);
    const decision = await gate({ request, response, raw: request as Request, refuse });
    if (decision) Object.assign(request, decision.payment);
    return decision !== null;
  };

  return function paywall(request, response, next) {
    serve(request, response)
      .then((isPaid) => {
        if (isPaid) next();
      })
      // Covers errors thrown by `next` too, which nothing else would catch outside a framework.
      .catch(next);
  };
}

export { BypassError, type BypassErrorCode } from "./paywall/bypass-error.ts";
export type { ClaimStore } from "./paywall/claim-store.ts";
export type { PaywallOptions } from "./paywall/options.ts";
export type { Facilitator } from "./types.ts";
