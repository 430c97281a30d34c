import type { FastifyReply, FastifyRequest } from "fastify";
import { exposedHeaders, type PlainAnswer } from "./paywall/answer.ts";
import { createNodeGate, send } from "./paywall/node-gate.ts";
import type { PaywallOptions } from "./paywall/options.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The account that paid, behind a paywall. */
    payer?: string;
    /** The id of the transaction that paid, behind a paywall. */
    txId?: string;
  }
}

/**
 * Creates a `preHandler` hook for Fastify that admits paid requests and sets `request.payer` and
 * `request.txId`. A payment buys one complete answer with a status other than 408, 425, 429 or 5xx. A
 * cross-origin preflight is answered with 204, so put CORS middleware in front.
 * @throws TypeError for invalid options
 * @example const preHandler = fastifyPaywall({ ...sandbox(), amount: "0.050 HBD", receivingAccount: "shop" });
 * app.get("/article", { preHandler }, async (request) => ({ payer: request.payer }));
 */
export function fastifyPaywall(
  options: PaywallOptions<FastifyRequest>,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const gate = createNodeGate(options);

  return async function fastifyPaywall(request, reply) {
    const { originalUrl, protocol } = request;
    const decision = await gate({
      request: Object.assign(request.raw, { originalUrl, protocol }),
      response: reply.raw,
      raw: request,
      refuse: (answer) => refuse(reply, answer),
    });
    if (decision) Object.assign(request, decision.payment);
  };
}

function refuse(reply: FastifyReply, answer: PlainAnswer): void {
  const { status, headers, body } = answer;
  if (typeof body !== "string") {
    reply.hijack();
    send(reply.raw, answer);
    return;
  }
  const present = reply.getHeader("access-control-expose-headers")?.toString();
  reply
    .code(status)
    .headers(Object.fromEntries(headers))
    .header("access-control-expose-headers", exposedHeaders(present))
    .send(body);
}

export { BypassError, type BypassErrorCode } from "./paywall/bypass-error.ts";
export type { ClaimStore } from "./paywall/claim-store.ts";
export type { PaywallOptions } from "./paywall/options.ts";
