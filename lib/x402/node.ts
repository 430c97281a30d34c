import type { IncomingMessage, ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import {
  exposedHeaders,
  failureAnswer,
  findPayment,
  isPreflight,
  type PlainAnswer,
  receiptHeaders,
  refusalAnswer,
} from "./paywall/answer.ts";
import { holdResponse } from "./paywall/hold-response.ts";
import { type PaywallOptions, readOptions } from "./paywall/options.ts";
import { addressAsked, createPaywallCheck } from "./paywall/paywall-check.ts";
import type { PaymentHeader } from "./paywall/read-payment.ts";
import { type Admitted, type Delivery, notWrittenDown, type PaidContext } from "./paywall/take-payment.ts";
import { isUnserved } from "./unserved.ts";

type NodePaywallOptions = PaywallOptions<IncomingMessage> & {
  /**
   * Called with what the handler, `amount`, `receivingAccount` or `access.account` threw (default: `console.error`); the
   * caller gets a 500, for `access.account` a 503, and may come again.
   */
  onFault?: (error: unknown) => void;
};

/**
 * Puts a price on a handler of a plain `node:http` server. The handler runs for paid requests only and is told who paid.
 * A payment buys one answer that is not 408, 425, 429 or 5xx, and that is sent to its end. A cross-origin preflight is
 * answered with 204; allow other origins before it.
 * @throws TypeError for options that make no sense.
 * @example createServer(nodePaywall({ amount: "0.050 HBD", receivingAccount: "shop", facilitatorUrl }, (request, response, { payer }) => {
 *   response.end(`Thank you, ${payer}.`);
 * })).listen(3000);
 */
export function nodePaywall(
  options: NodePaywallOptions,
  handler: (request: IncomingMessage, response: ServerResponse, payment: PaidContext) => unknown,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const { onFault = console.error, ...priced } = options;
  const gate = createNodeGate<IncomingMessage>(priced, onFault);

  return async function nodePaywall(request, response) {
    let hasBegun = () => response.headersSent;
    try {
      const refuse = send.bind(null, response);
      const decision = await gate({ request, response, raw: request, refuse });
      if (!decision) return;
      hasBegun = decision.hasBegun;
      await handler(request, response, decision.payment);
    } catch (error) {
      onFault(error);
      // An answer that has begun can only be cut, so that nobody takes it for whole.
      if (hasBegun()) response.destroy();
      else send(response, failureAnswer);
    }
  };
}

/** Headers that describe a handler's content, and would be wrong on an answer that takes its place. */
const ofContent = [
  "content-length",
  "content-encoding",
  "content-range",
  "content-disposition",
  "content-language",
  "transfer-encoding",
  "etag",
  "last-modified",
];

/** A request of `node:http`, with what a framework knows better about its address. */
type NodeRequest = IncomingMessage & { originalUrl?: string; protocol?: string };

/** Who paid, and whether the handler has sent anything yet, held or not. */
type NodeDecision = { payment: PaidContext; hasBegun: () => boolean };

/**
 * Resolves with who paid, and holds the response until the delivery is written down; with `null` once `refuse` has
 * answered or the client has gone.
 */
type NodeGate<Request> = (call: {
  request: NodeRequest;
  response: ServerResponse;
  /** What `amount` and `receivingAccount` get. */
  raw: Request;
  /** Sends the answer of a request that does not reach the handler. */
  refuse: (answer: PlainAnswer) => void;
}) => Promise<NodeDecision | null>;

/**
 * Creates the gate that all adapters of `node:http` stand on.
 * @throws TypeError for options that make no sense.
 */
export function createNodeGate<Request>(
  options: PaywallOptions<Request>,
  onFault?: (error: unknown) => void,
): NodeGate<Request> {
  const settings = readOptions(options);
  const check = createPaywallCheck(settings, undefined, onFault);

  return async ({ request, response, raw, refuse }) => {
    const { method = "GET" } = request;
    const header = (name: string) => headerOf(request, name);
    const payment = findPayment(header);
    const decision = await check({
      method,
      url: addressOf(request),
      payment,
      isPreflight: isPreflight(method, header),
      raw,
    });
    const asked = { method, header, raw, settings };
    if (decision.kind !== "admitted") {
      refuse(refusalAnswer(decision, asked));
      return null;
    }
    if (response.destroyed) {
      await decision.delivery.leave();
      return null;
    }
    const hasBegun = guard(response, decision, payment, () => {
      for (const name of ofContent) response.removeHeader(name);
      response.statusMessage = "";
      send(response, refusalAnswer(notWrittenDown, asked));
    });
    const { payer, txId } = decision;
    return { payment: { payer, txId }, hasBegun };
  };
}

function guard(
  response: ServerResponse,
  decision: Admitted,
  payment: PaymentHeader | null,
  instead: () => void,
): () => boolean {
  const { delivery } = decision;
  return holdResponse(response, {
    async decide(status) {
      let mayPass = true;
      if (isUnserved(status)) await delivery.fail();
      else if (response.destroyed) await delivery.leave();
      else {
        mayPass = await delivery.begin();
        if (mayPass) endWithResponse(response, delivery);
      }
      setHeaders(response, receiptHeaders(decision, payment));
      return mayPass;
    },
    instead,
    abandon: () => void delivery.leave(),
  });
}

/** Ends the delivery with the response: whole once all of it was handed to the network, else broken off. */
function endWithResponse(response: ServerResponse, delivery: Delivery): void {
  if (response.destroyed) {
    delivery.end("unsent");
    return;
  }
  const onFinish = () => {
    response.off("close", onClose);
    delivery.end("whole");
  };
  const onClose = () => {
    response.off("finish", onFinish);
    delivery.end(response.headersSent ? "broken" : "unsent");
  };
  response.once("finish", onFinish);
  response.once("close", onClose);
}

/** Sends an answer of the paywall itself. */
export function send(response: ServerResponse, { status, headers, body }: PlainAnswer): void {
  response.statusCode = status;
  setHeaders(response, headers);
  response.end(body);
}

function setHeaders(response: ServerResponse, headers: PlainAnswer["headers"]): void {
  for (const [name, value] of headers) response.setHeader(name, value);
  const present = response.getHeader("access-control-expose-headers");
  response.setHeader("access-control-expose-headers", exposedHeaders(present?.toString()));
}

function headerOf(request: NodeRequest, name: string): string | undefined {
  return request.headers[name]?.toString();
}

/** The address as the client used it; Express knows whether to believe a proxy about the protocol. */
function addressOf(request: NodeRequest): URL {
  const protocol = request.protocol ?? ((request.socket as TLSSocket).encrypted ? "https" : "http");
  const path = request.originalUrl ?? request.url ?? "/";
  return addressAsked(request.headers.host, `${protocol}://localhost`, path.startsWith("/") ? path : "/");
}

export type { ClaimStore } from "./paywall/claims.ts";
export type { PaywallOptions } from "./paywall/options.ts";
export type { PaidContext } from "./paywall/take-payment.ts";
