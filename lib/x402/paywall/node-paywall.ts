import type { IncomingMessage, ServerResponse } from "node:http";
import type { Payment } from "./admission.ts";
import { failureAnswer } from "./answer.ts";
import { createNodeGate, send } from "./node-gate.ts";
import type { PaywallOptions } from "./options.ts";

export type NodePaywallOptions = PaywallOptions<IncomingMessage> & {
  /**
   * Called with what the handler, `amount` or `receivingAccount` threw (default: `console.error`); the caller gets a
   * 500 and may come again.
   */
  onFault?: (error: unknown) => void;
};

/**
 * Puts a price on a handler of a plain `node:http` server. The handler runs for paid requests only and is told who paid.
 * A payment buys one answer below 500. A cross-origin preflight is answered with 204; allow other
 * origins before it.
 * @throws TypeError for options that make no sense.
 * @example createServer(nodePaywall({ amount: "0.050 HBD", receivingAccount: "shop", facilitatorUrl }, (request, response, { payer }) => {
 *   response.end(`Thank you, ${payer}.`);
 * })).listen(3000);
 */
export function nodePaywall(
  options: NodePaywallOptions,
  handler: (request: IncomingMessage, response: ServerResponse, payment: Payment) => unknown,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const { onFault = console.error, ...priced } = options;
  const gate = createNodeGate<IncomingMessage>(priced);

  return async function nodePaywall(request, response) {
    let hasBegun = () => response.headersSent;
    try {
      const refuse = send.bind(null, response);
      const admission = await gate({ request, response, raw: request, refuse });
      if (!admission) return;
      hasBegun = admission.hasBegun;
      await handler(request, response, admission.payment);
    } catch (error) {
      onFault(error);
      // An answer that has begun can only be cut, so that nobody takes it for whole.
      if (hasBegun()) response.destroy();
      else send(response, failureAnswer);
    }
  };
}
