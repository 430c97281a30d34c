import { JsonAnswer } from "../../async/json-answer.ts";
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
type Handle<Given, Answered> = (request: Given, options?: HandlerOptions) => Promise<Answered>;
type FoundRequest = Pick<Request, "url" | "signal">;

/** Functions for each address of the facilitator, from a request to an answer. */
type ForEachAddress<Answered> = Record<
  "verify" | "settle" | "health" | "supported",
  Handle<HandledRequest, Answered>
> &
  Record<"resources" | "search", Handle<FoundRequest, Answered>>;

/** The facilitator's HTTP interface as functions over web requests. None of them rejects. */
export type FacilitatorHandlers = ForEachAddress<Response>;
/** The same interface for this server's routes, which send an answer without a `Response`. */
export type FacilitatorAnswers = ForEachAddress<JsonAnswer>;

/**
 * Creates the handlers. `onFault` is called with errors that were answered with 500, but not for clients that
 * disconnected.
 */
export function createFacilitatorHandlers(
  facilitator: HiveFacilitator,
  onFault: (error: unknown) => void,
): FacilitatorHandlers {
  const answers = createFacilitatorAnswers(facilitator, onFault);
  const handler =
    <Given>(answer: Handle<Given, JsonAnswer>): Handle<Given, Response> =>
    async (request, options) => {
      const { body, status, headers } = await answer(request, options);
      return new Response(body, { status, headers: [...headers] });
    };
  return {
    verify: handler(answers.verify),
    settle: handler(answers.settle),
    health: handler(answers.health),
    supported: handler(answers.supported),
    resources: handler(answers.resources),
    search: handler(answers.search),
  };
}

/** Creates the answers, as `createFacilitatorHandlers` creates the handlers. */
export function createFacilitatorAnswers(
  facilitator: HiveFacilitator,
  onFault: (error: unknown) => void,
): FacilitatorAnswers {
  const answer = <Given extends Pick<Request, "signal"> = HandledRequest>(
    shape: (reason: string) => object,
    work: (request: Given) => Promise<JsonAnswer>,
  ): Handle<Given, JsonAnswer> => {
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
): JsonAnswer {
  const answer = json({ ...shape, error: message, code, ...(issues && { issues }) }, status);
  if (retryAfterSeconds !== undefined)
    answer.headers.set("retry-after", String(Math.ceil(retryAfterSeconds)));
  return answer;
}

function json(body: object, status?: number): JsonAnswer {
  const answer = new JsonAnswer(body, status);
  answer.headers.set("cache-control", "no-store");
  return answer;
}
