import { CodedError } from "../../errors.ts";

/** Why a facilitator has no answer; what is wrong with a payment is an answer (`invalidReason`, `errorReason`). */
export type FacilitatorErrorCode = "invalid_request" | "chain_unavailable" | "degraded" | "overloaded";

const codes: ReadonlySet<string> = new Set<FacilitatorErrorCode>([
  "invalid_request",
  "chain_unavailable",
  "degraded",
  "overloaded",
]);

/**
 * Thrown by `verify`, `settle` and `recover` where there is no answer: the body has another shape (`invalid_request`),
 * too few chain nodes answer (`chain_unavailable`), the store does not (`degraded`), or too many callers fight for one
 * payment (`overloaded`). After the last three the same call may be made again: nothing is charged twice.
 */
export class FacilitatorError extends CodedError {
  declare readonly code: FacilitatorErrorCode;

  constructor(code: FacilitatorErrorCode, details?: ConstructorParameters<typeof CodedError>[1]) {
    super(code, details);
    this.name = "FacilitatorError";
  }
}

/** The same error under its public name; what is a bug stays what it is. */
export function toFacilitatorError(error: unknown): unknown {
  if (!(error instanceof CodedError) || error instanceof FacilitatorError || !codes.has(error.code))
    return error;
  const { code, message, cause, retryAfterSeconds, issues } = error;
  return new FacilitatorError(code as FacilitatorErrorCode, {
    message,
    cause,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(issues !== undefined && { issues }),
  });
}
