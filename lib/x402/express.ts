import type { Request as ExpressRequest } from "express";
import type { PaywallOptions } from "./paywall/options.ts";
import { type ConnectMiddleware, type ConnectRequest, paywall as connectPaywall } from "./paywall/paywall.ts";

/**
 * An Express middleware that lets paid requests through; `req.payer` and `req.txId` tell who paid. A payment buys one
 * answer that is not 408, 425, 429 or 5xx, and that is sent to its end. A cross-origin preflight is answered with 204:
 * put CORS middleware before. The functions among the options get Express's own request.
 * @throws TypeError for options that make no sense.
 * @example app.get("/article", paywall({ amount: "0.050 HBD", receivingAccount: "shop", facilitatorUrl }), (req, res) => {
 *   res.json({ payer: req.payer });
 * });
 */
export const paywall: <Request extends ConnectRequest = ExpressRequest>(
  options: PaywallOptions<Request>,
) => ConnectMiddleware = connectPaywall;

export type { ClaimStore } from "./paywall/claims.ts";
export type { PaywallOptions } from "./paywall/options.ts";
export type { ConnectMiddleware, ConnectRequest } from "./paywall/paywall.ts";
