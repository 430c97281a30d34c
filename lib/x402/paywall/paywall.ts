import type { IncomingMessage, ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import { type Admitted, notWrittenDown } from "./admission.ts";
import { createAdmit } from "./admit.ts";
import { exposedHeaders, findPayment, type PlainAnswer, receiptHeaders, refusalAnswer } from "./answer.ts";
import { holdResponse } from "./hold-response.ts";
import { type PaywallOptions, readOptions } from "./options.ts";
import type { PaymentHeader } from "./read-payment.ts";

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

declare global {
  namespace Express {
    interface Request {
      /** Account that paid, behind a paywall. */
      payer?: string;
      /** Id of the transaction that paid, behind a paywall. */
      txId?: string;
    }
  }
}

/** A request as connect-style servers hand it on. */
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
 * A connect-style middleware (Express, Connect, Restify) that lets paid requests through; `req.payer` and `req.txId`
 * tell who paid. A payment buys one answer below 500. Cross-origin preflights pass.
 * @throws TypeError for options that make no sense.
 * @example app.get("/article", paywall({ amount: "0.050 HBD", receivingAccount: "shop", facilitatorUrl }), (req, res) => {
 *   res.json({ payer: req.payer });
 * });
 */
export function paywall(options: PaywallOptions<ConnectRequest>): ConnectMiddleware {
  const settings = readOptions(options);
  const admit = createAdmit(settings);

  const serve = async (request: ConnectRequest, response: ServerResponse): Promise<boolean> => {
    const { method = "GET" } = request;
    if (method === "OPTIONS" && request.headers["access-control-request-method"]) return true;
    const payment = findPayment((name) => headerOf(request, name));
    const admission = await admit({ method, url: addressOf(request), payment, raw: request });
    const asked = { accept: headerOf(request, "accept") ?? "", method, settings };
    if (admission.kind !== "admitted") {
      send(response, refusalAnswer(admission, asked));
      return false;
    }
    if (response.destroyed) {
      await admission.delivery.fail();
      return false;
    }
    request.payer = admission.payer;
    request.txId = admission.txId;
    guard(response, admission, payment, () => {
      for (const name of ofContent) response.removeHeader(name);
      response.statusMessage = "";
      send(response, refusalAnswer(notWrittenDown, asked));
    });
    return true;
  };

  return function paywall(request, response, next) {
    serve(request, response)
      .then((isPaid) => {
        if (isPaid) next();
      })
      // Also what `next` throws: outside of a framework nobody else would catch it.
      .catch(next);
  };
}

function guard(
  response: ServerResponse,
  admission: Admitted,
  payment: PaymentHeader | null,
  instead: () => void,
): void {
  const { delivery } = admission;
  holdResponse(response, {
    async decide(status) {
      const isDone = status < 500 && !response.destroyed;
      const mayPass = isDone ? await delivery.succeed() : true;
      if (!isDone) await delivery.fail();
      setHeaders(response, receiptHeaders(admission, payment));
      return mayPass;
    },
    instead,
    abandon: () => void delivery.fail(),
  });
}

function send(response: ServerResponse, { status, headers, body }: PlainAnswer): void {
  response.statusCode = status;
  setHeaders(response, headers);
  response.end(body);
}

function setHeaders(response: ServerResponse, headers: PlainAnswer["headers"]): void {
  for (const [name, value] of headers) response.setHeader(name, value);
  const present = response.getHeader("access-control-expose-headers");
  response.setHeader("access-control-expose-headers", exposedHeaders(present?.toString()));
}

function headerOf(request: ConnectRequest, name: string): string | undefined {
  return request.headers[name]?.toString();
}

/** The address as the client used it; Express knows whether to believe a proxy about the protocol. */
function addressOf(request: ConnectRequest): URL {
  const protocol = request.protocol ?? ((request.socket as TLSSocket).encrypted ? "https" : "http");
  const path = request.originalUrl ?? request.url ?? "/";
  const search = path.startsWith("/") ? path : "/";
  const address = `${protocol}://${request.headers.host ?? "localhost"}${search}`;
  return new URL(URL.canParse(address) ? address : `http://localhost${search}`);
}
