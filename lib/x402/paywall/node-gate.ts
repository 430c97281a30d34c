import type { IncomingMessage, ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import { isHandedOver } from "../../async/end-of-answer.ts";
import { HEADER_REDIRECT } from "../header.ts";
import {
  exposedHeaders,
  findPayment,
  findSignIn,
  isPreflight,
  isRedirect,
  type PlainAnswer,
  type RefusedRequest,
  receiptHeaders,
  refusalAnswer,
} from "./answer.ts";
import { type AskedAddress, originAsked } from "./asked-address.ts";
import { BypassError } from "./bypass-error.ts";
import type { Admitted, Delivery, PaidContext, Refused } from "./decision.ts";
import type { NodeResponse } from "./guard-stream.ts";
import { type HeldResponse, holdResponse, toldLength } from "./hold-response.ts";
import { type PaywallOptions, readOptions } from "./options.ts";
import { isFailure } from "./payment-flow.ts";
import { createPaywallCheck } from "./paywall-check.ts";
import type { PaymentHeader } from "./read-payment.ts";
import { createBodyCopy, keptHeaders, type SentAnswer } from "./sent-answer.ts";

/** Headers that describe a handler's content, and would be wrong on an answer that replaces it. */
const ofContent = [
  "content-length",
  "content-encoding",
  "content-range",
  "content-disposition",
  "content-language",
  "transfer-encoding",
  "etag",
  "last-modified",
  "location",
  "set-cookie",
];

/** A request of `node:http`, with the target before any rewriting and the protocol from trusted proxies. */
type NodeRequest = IncomingMessage & { originalUrl?: string; protocol?: string; upgrade?: boolean };

/** The payment, and whether the handler has sent anything yet, held or not. */
type NodeDecision = { payment: PaidContext; hasBegun: () => boolean };

/**
 * Resolves with the payment, and holds the response until the delivery is recorded; resolves with `null` once `refuse`
 * has answered or the client has disconnected.
 */
type NodeGate<Request> = (call: {
  request: NodeRequest;
  response: ServerResponse;
  /** The argument of `amount` and `receivingAccount`. */
  raw: Request;
  /** Sends the answer to a request that does not reach the handler. */
  refuse: (answer: PlainAnswer) => void;
}) => Promise<NodeDecision | null>;

/**
 * Creates the gate behind all adapters of `node:http`.
 * @throws TypeError for invalid options
 */
export function createNodeGate<Request>(
  options: PaywallOptions<Request>,
  onFault: (error: unknown) => void = console.error,
): NodeGate<Request> {
  const settings = readOptions(options);
  const check = createPaywallCheck(settings, undefined, onFault);

  return async ({ request, response, raw, refuse }) => {
    const { method = "GET" } = request;
    // Asked before the payment is settled: content on a connection that the response lacks leaves no trace.
    if (request.upgrade && !response.socket)
      throw new BypassError(
        "upgrade_without_socket",
        "this upgrade would send content past its payment: call response.assignSocket, and accept the upgrade " +
          "behind the paywall",
      );
    const header = (name: string) => headerOf(request, name);
    const payment = findPayment(header);
    const decision = await check({
      method,
      address: addressOf(request),
      payment,
      signIn: findSignIn(header),
      isPreflight: isPreflight(method, header),
      raw,
    });
    const asked = { method, header, raw, settings };
    if (decision.kind !== "admitted") {
      refuse(refusalAnswer(decision, asked));
      return null;
    }
    if (isGone(response)) {
      await decision.delivery.leave();
      return null;
    }
    const { hasBegun } = guardResponse(response, decision, payment, asked, onFault);
    const { payer, txId } = decision;
    return { payment: { payer, txId }, hasBegun };
  };
}

/** Holds the response to a paid request until its delivery is recorded. */
export function guardResponse<Request>(
  response: ServerResponse,
  decision: Admitted,
  payment: PaymentHeader | null,
  asked: RefusedRequest<Request>,
  onFault: (error: unknown) => void,
): HeldResponse {
  const flow = asked.settings.paymentFlow;
  const instead = (refusal: Refused) => {
    for (const name of ofContent) response.removeHeader(name);
    // HTTP/2 has no status message.
    if (response.req.httpVersionMajor < 2) response.statusMessage = "";
    send(response, refusalAnswer(refusal, asked));
  };
  const { delivery } = decision;
  const copy = delivery.keepsAnswer ? createBodyCopy() : null;
  let head: Omit<SentAnswer, "body"> | undefined;
  const answer = (): SentAnswer | null => {
    const body = copy?.whole();
    return head && body ? { ...head, body } : null;
  };
  let complete = () => {};
  const held = holdResponse(response, {
    collects: (status) => decision.settlement === null && !isFailure(status, flow),
    async decide(status) {
      let { settlement } = decision;
      let insteadOfContent: (() => void) | null = null;
      if (isFailure(status, flow)) await delivery.fail();
      else if (isGone(response)) await delivery.leave();
      else {
        const begun = await delivery.begin();
        settlement = begun.settlement;
        if (begun.kind === "refused") insteadOfContent = () => instead(begun.refusal);
        else complete = endWithResponse(response, delivery, { sentBytes: held.sentBytes, answer });
      }
      setHeaders(response, receiptHeaders(settlement, payment));
      const location = response.getHeader("location");
      if (location && isRedirect(status) && asked.header(HEADER_REDIRECT) && !insteadOfContent) {
        response.removeHeader("location");
        response.setHeader(HEADER_REDIRECT, location);
      }
      // Read now, because compression in front of the paywall changes the headers and the content later.
      head = { status, headers: keptHeaders(pairsOf(response)) };
      return insteadOfContent;
    },
    abandon: () => void delivery.leave(),
    complete: () => complete(),
    bypass: () => recordBypass(response, delivery, onFault),
    onFault,
    copy: copy?.add,
  });
  return held;
}

/** Records an answer past the response, so that its payment opens nothing more, or else cuts it off and returns false. */
async function recordBypass(
  response: ServerResponse,
  delivery: Delivery,
  onFault: (error: unknown) => void,
): Promise<boolean> {
  const isRecorded = await delivery.begin().then(
    ({ kind }) => kind === "begun",
    () => false,
  );
  if (isRecorded) void delivery.end("whole");
  else cut(response);
  const [code, how] = isRecorded
    ? (["answer_without_receipt", "counts as delivered, without a receipt"] as const)
    : (["answer_cut_off", "was not recorded, and it is cut off"] as const);
  onFault(
    new BypassError(
      code,
      `the handler answered past the paywall's response, so its payment ${how}: use response.end`,
    ),
  );
  return isRecorded;
}

/**
 * Ends the delivery with the response: complete once the operating system accepted all of it, otherwise
 * broken off. Content that ends before its declared length is incomplete, because its reader waits for the
 * rest. Returns the function that marks the delivery as complete before the response ends.
 */
function endWithResponse(
  response: NodeResponse,
  delivery: Delivery,
  { sentBytes, answer }: { sentBytes: () => number; answer: () => SentAnswer | null },
): () => void {
  if (isGone(response)) {
    void delivery.end("unsent");
    return () => {};
  }
  const length = toldLength(response);
  let isOver = false;
  const end = (how: Parameters<Delivery["end"]>[0]) => {
    if (isOver) return;
    isOver = true;
    response.off("finish", onFinish);
    response.off("close", breakOff);
    void delivery.end(how, how === "whole" ? answer() : null);
  };
  const breakOff = () => end(response.headersSent ? "broken" : "unsent");
  const onFinish = () => (isHandedOver(response) && !(sentBytes() < length) ? end("whole") : breakOff());
  response.prependOnceListener("finish", onFinish);
  response.once("close", breakOff);
  return () => {
    if (isHandedOver(response)) end("whole");
  };
}

/** The code INTERNAL_ERROR of RFC 9113, 7. */
const HTTP2_INTERNAL_ERROR = 2;

/** Breaks off an answer. Over HTTP/2, destroying it without an error would look like its normal end. */
export function cut(response: NodeResponse): void {
  if (response.stream) response.stream.close(HTTP2_INTERNAL_ERROR);
  else response.destroy();
}

/** Sends one of the paywall's own answers. */
export function send(response: ServerResponse, { status, headers, body }: PlainAnswer): void {
  response.statusCode = status;
  setHeaders(response, headers);
  response.end(body);
}

function setHeaders(response: ServerResponse, headers: PlainAnswer["headers"]): void {
  for (const [name, value] of headers) {
    const all = headers.filter(([other]) => other === name).map(([, one]) => one);
    response.setHeader(name, all.length > 1 ? all : value);
  }
  const present = response.getHeader("access-control-expose-headers");
  response.setHeader("access-control-expose-headers", exposedHeaders(present?.toString()));
}

/** Returns the headers that were set, with one pair per value. */
function pairsOf(response: ServerResponse): Array<[string, string]> {
  return Object.entries(response.getHeaders()).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, String(one)]),
  );
}

function headerOf(request: NodeRequest, name: string): string | undefined {
  return request.headers[name]?.toString();
}

/**
 * Returns the requested address. HTTP/2 puts the host in `:authority`. A proxy that a framework trusts can
 * send an invalid protocol.
 */
function addressOf({ originalUrl, url = "", headers, protocol, socket }: NodeRequest): AskedAddress {
  const isForwarded = protocol === "http" || protocol === "https";
  const scheme = isForwarded ? protocol : (socket as TLSSocket).encrypted ? "https" : "http";
  const host = headers[":authority"]?.toString() ?? headers.host;
  return { origin: originAsked(host, `${scheme}://localhost`), target: originalUrl ?? url };
}

/** Returns whether the client has disconnected, which an HTTP/2 response reports through its stream. */
function isGone({ destroyed, stream }: NodeResponse): boolean {
  return destroyed || stream?.destroyed === true;
}
