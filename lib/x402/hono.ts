import type { IncomingMessage, ServerResponse } from "node:http";
import type { Context, MiddlewareHandler } from "hono";
import { findResponse } from "../async/end-of-answer.ts";
import { assertRequested } from "./assert-requested.ts";
import {
  addHeaders,
  findPayment,
  findSignIn,
  isPreflight,
  receiptHeaders,
  refusalAnswer,
  revealRedirect,
  toResponse,
} from "./paywall/answer.ts";
import { type AskedAddress, splitUrl } from "./paywall/asked-address.ts";
import { collectBody } from "./paywall/collect-body.ts";
import { cut, guardResponse } from "./paywall/node-gate.ts";
import { type PaywallOptions, readOptions } from "./paywall/options.ts";
import { isFailure } from "./paywall/payment-flow.ts";
import { createPaywallCheck } from "./paywall/paywall-check.ts";
import { endWithBody } from "./paywall/watch-body.ts";

/** The header of `RESPONSE_ALREADY_SENT`, after which Hono's server on Node sends nothing itself. */
const ALREADY_SENT = "x-hono-already-sent";

/**
 * Creates a Hono middleware that admits paid requests and sets `c.get("payer")` and `c.get("txId")`. A
 * payment buys one complete answer with a status other than 408, 425, 429 or 5xx. A cross-origin preflight is
 * answered with 204, so put CORS middleware in front. Functions among the options receive Hono's context.
 * @throws TypeError for invalid options
 * @example app.get("/article", honoPaywall({ ...sandbox(), amount: "0.050 HBD", receivingAccount: "shop" }), (c) =>
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
    assertRequested(request);
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
    const { incoming, outgoing } = nodePartsOf(c);
    const held = outgoing && guardResponse(outgoing, decision, payment, asked, console.error);
    // Hono's server upgrades a connection whatever the answer is, unless it was closed.
    const upgrading = incoming?.upgrade ? incoming.socket : undefined;
    let response: Response;
    let isFault: boolean;
    let hasFailed: boolean;
    try {
      await next();
      // Throws for an answer whose body has already been read or sent.
      response = addHeaders(c.res, receiptHeaders(settlement, payment));
      // Hono catches a handler's errors. An HTTPException is an answer; anything else is a failure, whatever its status.
      isFault = c.error !== undefined && !("getResponse" in c.error);
      hasFailed = isFault || isFailure(response.status, settings.paymentFlow);
      if (settlement === null && !hasFailed) response = await collectBody(response, request.signal);
    } catch (error) {
      upgrading?.destroy();
      if (held?.letGo() !== false) await delivery.fail();
      throw error;
    }
    if (hasFailed) upgrading?.destroy();
    // The held response records what is sent through it, and whether the client leaves.
    if (held && response.headers.has(ALREADY_SENT)) return;
    if (held?.letGo() === false) {
      if (held.hasBegun()) {
        if (isFault) cut(outgoing as ServerResponse);
        await drop(response);
        // A clone, because Hono's server would send a response of its own class.
        response = new Response(null, { headers: { [ALREADY_SENT]: "true" } }).clone();
      }
    } else if (hasFailed) await delivery.fail();
    else if (request.signal.aborted || upgrading?.destroyed) await delivery.leave();
    else {
      const begun = await delivery.begin().catch((error: unknown) => {
        upgrading?.destroy();
        throw error;
      });
      const receipt = receiptHeaders(begun.settlement, payment);
      if (begun.kind === "begun")
        response = await endWithBody(
          revealRedirect(addHeaders(response, receipt), header),
          request,
          delivery,
          outgoing ?? findResponse(request),
        );
      else {
        upgrading?.destroy();
        await drop(response);
        response = addHeaders(toResponse(refusalAnswer(begun.refusal, asked)), receipt);
      }
    }
    // Hono adds the old answer's headers to a new one unless it is removed first.
    c.res = undefined;
    c.res = response;
  };
}

const drop = (response: Response) =>
  response.body?.cancel().catch(() => {
    // Ignored: the body had failed before.
  });

/**
 * Returns the requested address. On Node, Hono's server resolves the URL, and passes the original target in
 * `env.incoming`.
 */
function addressOf({ req, env }: Context): AskedAddress {
  const { origin, target } = splitUrl(req.raw.url);
  const { incoming } = nodePartsOf({ env });
  return { origin, target: incoming?.originalUrl ?? incoming?.url ?? target };
}

/** Returns the request and the response of `node:http` behind a context, on Node. */
function nodePartsOf({ env }: Pick<Context, "env">) {
  type Incoming = IncomingMessage & { originalUrl?: string; upgrade?: boolean };
  return (env ?? {}) as { incoming?: Incoming; outgoing?: ServerResponse };
}

export { BypassError, type BypassErrorCode } from "./paywall/bypass-error.ts";
export type { ClaimStore } from "./paywall/claim-store.ts";
export type { PaywallOptions } from "./paywall/options.ts";
