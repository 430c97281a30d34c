import { jsonResponse } from "../../async/json-response.ts";
import { readJsonBody } from "../../async/read-body.ts";
import { CodedError } from "../../errors.ts";
import type { HiveFacilitator } from "./create-facilitator.ts";
import { PAYMENT_REQUEST_BYTES } from "./read-request.ts";
import type { Reason } from "./reasons.ts";

const idempotencyKeyShape = /^[\x21-\x7e]{1,128}$/;

type HandlerOptions = {
  /** The request id in a refusal, for finding it in the server's log. */
  requestId?: string;
  /** Called with the reason for a refusal; errors go to `onFault`. */
  onRefusal?: (error: CodedError) => void;
};
/** The part of a request that the handlers use. A `Request` has all of it. */
type HandledRequest = Pick<Request, "signal"> & { headers: Pick<Headers, "get"> } & (
    | Pick<Request, "body">
    | { readJson(limitBytes: number): Promise<unknown> }
  );
type Handler<Given = HandledRequest> = (request: Given, options?: HandlerOptions) => Promise<Response>;
type FoundRequest = Pick<Request, "url" | "signal">;

/** The facilitator's HTTP interface as functions over web requests. None of them rejects. */
export type FacilitatorHandlers = Record<"verify" | "settle" | "health" | "supported", Handler> &
  Record<"resources" | "search", Handler<FoundRequest>>;

/**
 * Creates the handlers. `onFault` is called with errors that were answered with 500, but not for clients that
 * disconnected.
 */
export function createFacilitatorHandlers(
  facilitator: HiveFacilitator,
  onFault: (error: unknown) => void,
): FacilitatorHandlers {
  const answer = <Given extends Pick<Request, "signal"> = HandledRequest>(
    shape: (reason: string) => object,
    work: (request: Given) => Promise<Response>,
  ): Handler<Given> => {
    return async (request, { requestId, onRefusal } = {}) => {
      try {
        return await work(request);
      } catch (error) {
        const coded = error instanceof CodedError ? error : new CodedError("internal", { cause: error });
        if (coded.status !== 500) onRefusal?.(coded);
        else if (!request.signal.aborted) onFault(error);
        return errorAnswer(coded, {
          ...shape(reasonOf(coded)),
          ...(requestId !== undefined && { requestId }),
        });
      }
    };
  };
  const unverified = (invalidReason: string) => ({ isValid: false, invalidReason });
  const unsettled = (errorReason: string) => ({
    success: false,
    errorReason,
    transaction: "",
    network: facilitator.network,
  });
  return {
    verify: answer(unverified, async (request) => json(await facilitator.verify(await readBody(request)))),
    settle: answer(unsettled, async (request) => {
      const idempotencyKey = request.headers.get("idempotency-key") ?? undefined;
      if (idempotencyKey !== undefined && !idempotencyKeyShape.test(idempotencyKey))
        throw new CodedError("invalid_request", {
          message: "Idempotency-Key must have 1 to 128 visible ASCII characters.",
        });
      const body = await readBody(request);
      return json(await facilitator.settle(body, { idempotencyKey, signal: request.signal }));
    }),
    health: answer(
      () => ({ status: "degraded" }),
      async () => {
        const health = await facilitator.health();
        // A wrong clock alone does not stop payments.
        const isServing = (health.failing ?? []).every((part) => part === "clock");
        return json(health, isServing ? 200 : 503);
      },
    ),
    supported: answer(
      () => ({}),
      async () => json(facilitator.supported()),
    ),
    resources: answer<FoundRequest>(
      () => ({}),
      async (request) => json(await facilitator.listResources(queryOf(request))),
    ),
    search: answer<FoundRequest>(
      () => ({}),
      async (request) => json(await facilitator.searchResources(queryOf(request))),
    ),
  };
}

/**
 * Returns the protocol's reason for an HTTP status; a fault of the facilitator does not mean that the payment
 * is invalid.
 */
function reasonOf({ code, status }: CodedError): string {
  return status < 500 ? ("invalid_payload" satisfies Reason) : code;
}

const queryOf = ({ url }: FoundRequest): Record<string, string> =>
  Object.fromEntries(new URL(url, "http://localhost").searchParams);

const readBody = (request: HandledRequest): Promise<unknown> =>
  "readJson" in request
    ? request.readJson(PAYMENT_REQUEST_BYTES)
    : readJsonBody(request, PAYMENT_REQUEST_BYTES);

function errorAnswer(
  { code, message, status, issues, retryAfterSeconds }: CodedError,
  shape: object,
): Response {
  const body = { ...shape, error: message, code, ...(issues && { issues }) };
  const response = json(body, status);
  if (retryAfterSeconds !== undefined)
    response.headers.set("retry-after", String(Math.ceil(retryAfterSeconds)));
  return response;
}

function json(body: object, status = 200): Response {
  return jsonResponse(body, { status, headers: { "cache-control": "no-store" } });
}
