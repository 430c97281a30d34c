import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { failureAnswer } from "./paywall/answer.ts";
import type { PaidContext } from "./paywall/decision.ts";
import { createNodeGate, cut, send } from "./paywall/node-gate.ts";
import type { PaywallOptions } from "./paywall/options.ts";

type NodePaywallOptions<Request> = PaywallOptions<Request> & {
  /**
   * Called with the errors of the handler, `amount`, `receivingAccount` or `access.account` (default:
   * `console.error`). The caller gets a 500, or for `access.account` a 503, and can retry.
   */
  onFault?: (error: unknown) => void;
};

/** A handler behind `nodePaywall`, which receives the payment. */
type NodeHandler<Request, Response> = (request: Request, response: Response, payment: PaidContext) => unknown;

/**
 * Puts a price on a handler of a plain `node:http` or `node:http2` server. The handler runs only for paid
 * requests, and receives the payment. A payment buys one complete answer with a status other than 408, 425,
 * 429 or 5xx. A cross-origin preflight is answered with 204; allow other origins in front of the paywall.
 * @throws TypeError for invalid options
 * @example createServer(nodePaywall({ ...sandbox(), amount: "0.050 HBD", receivingAccount: "shop" }, (request, response, { payer }) => {
 *   response.end(`Thank you, ${payer}.`);
 * })).listen(4000);
 */
export function nodePaywall(
  options: NodePaywallOptions<IncomingMessage>,
  handler: NodeHandler<IncomingMessage, ServerResponse>,
): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
export function nodePaywall(
  options: NodePaywallOptions<Http2ServerRequest>,
  handler: NodeHandler<Http2ServerRequest, Http2ServerResponse>,
): (request: Http2ServerRequest, response: Http2ServerResponse) => Promise<void>;
export function nodePaywall(
  options: NodePaywallOptions<never>,
  paidHandler: NodeHandler<never, never>,
): (request: never, response: never) => Promise<void> {
  // The requests and responses of HTTP/2 have the methods used here.
  const handler = paidHandler as NodeHandler<IncomingMessage, ServerResponse>;
  const { onFault = console.error, ...priced } = options as NodePaywallOptions<IncomingMessage>;
  const gate = createNodeGate<IncomingMessage>(priced, onFault);

  return async function nodePaywall(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let hasBegun = () => response.headersSent;
    try {
      const refuse = send.bind(null, response);
      const decision = await gate({ request, response, raw: request, refuse });
      if (!decision) return;
      hasBegun = decision.hasBegun;
      await handler(request, response, decision.payment);
    } catch (error) {
      onFault(error);
      // An answer that has begun can only be cut off, so that no one mistakes it for a complete one.
      if (hasBegun()) cut(response);
      else send(response, failureAnswer);
    }
  };
}

export { BypassError, type BypassErrorCode } from "./paywall/bypass-error.ts";
export type { ClaimStore } from "./paywall/claim-store.ts";
export type { PaidContext } from "./paywall/decision.ts";
export type { PaywallOptions } from "./paywall/options.ts";
