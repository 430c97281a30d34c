import { CodedError } from "../../errors.ts";

/**
 * Reasons why a facilitator has no answer; faults of a payment are answers (`invalidReason`, `errorReason`).
 */
export type FacilitatorErrorCode = "invalid_request" | "chain_unavailable" | "degraded" | "overloaded";

const codes: ReadonlySet<string> = new Set<FacilitatorErrorCode>([
  "invalid_request",
  "chain_unavailable",
  "degraded",
  "overloaded",
]);

/**
 * Thrown by `verify`, `settle` and `recover` if there is no answer: the body has another shape
 * (`invalid_request`), too few chain nodes answer (`chain_unavailable`), the store does not answer
 * (`degraded`), or too many callers compete for one payment (`overloaded`). After the last three, it is safe
 * to repeat the same call, because nothing is charged twice.
 */
export class FacilitatorError extends CodedError {
  declare readonly code: FacilitatorErrorCode;

  constructor(code: FacilitatorErrorCode, details?: ConstructorParameters<typeof CodedError>[1]) {
    super(code, details);
    this.name = "FacilitatorError";
  }
}

/**
 * Returns the error as a `FacilitatorError`. An error that has none of the facilitator's codes is a bug, and is
 * returned unchanged.
 */
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
