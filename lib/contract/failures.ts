import { STATUS_CODES } from "node:http";
import { type ErrorCode, errorTable } from "../errors.ts";
import { type RateLimit, writeLimit } from "../http/rate-limit.ts";
import { unprovenLimit } from "../http/token.ts";
import { BODY_LIMIT_BYTES } from "../http/validate.ts";
import {
  describeRefusal,
  refusalCodes,
  rejectionBody,
  rejectionCodes,
  rejections,
  unavailableCodes,
} from "../x402/paywall/refusals.ts";
import type { AnswerName } from "./answers.ts";
import { exampleOf, failureExample, type Json, type Schemas } from "./examples.ts";
import type { Operation } from "./limits.ts";

/** Every operation refuses a malformed path or `Host` header with this code. */
const EVERY: readonly ErrorCode[] = ["invalid_request"];
const BODY: readonly ErrorCode[] = ["invalid_json", "payload_too_large", "unsupported_media_type"];
const PAT: readonly ErrorCode[] = ["unauthorized", "forbidden", "not_found", "rate_limited"];
/** Failures of any call to Mattermost. */
const MATTERMOST: readonly ErrorCode[] = [
  ...(["backend_unreachable", "chat_token_refused", "degraded", "overloaded", "backend_timeout"] as const),
];

/**
 * Returns the quotas of an operation: its own, those of every PAT for writes, and those for tokens that might
 * be invented.
 */
export function quotasOf(method: string, { auth, limits = [] }: Operation): RateLimit<never>[] {
  const ofTokens = [...(method === "get" ? [] : [writeLimit]), unprovenLimit];
  return [...limits, ...(auth === undefined ? ofTokens : [])];
}

/** Describes a quota, such as `120 in 60 s for each client address`. */
export function describeQuota({ requests, windowSeconds, by, per }: RateLimit<never>): string {
  const subject = per ?? (by === "client" ? "client address" : "person");
  return `${requests} in ${windowSeconds} s for each ${subject}`;
}

/** Returns the codes with which an operation can refuse, without `internal`, which applies to all. */
function codesOf(path: string, method: string, operation: Operation): ErrorCode[] {
  const { auth, body, failures = [] } = operation;
  const codes = new Set([
    ...EVERY,
    ...(body ? BODY : []),
    ...(auth === undefined ? PAT : []),
    ...(path.startsWith("/api/chat/") ? MATTERMOST : []),
    ...(quotasOf(method, operation).length > 0 ? (["rate_limited"] as const) : []),
    ...failures,
  ]);
  return errorTable.flatMap(({ code }) => (codes.has(code) ? [code] : []));
}

const statusOf = (code: ErrorCode) => errorTable.find((row) => row.code === code)?.status ?? 500;

/** Returns the refusals of an operation by status, each with its codes and an example per code. */
export function failureResponses(
  [path, method, operation]: readonly [string, string, Operation],
  schemas: Schemas,
): Array<[status: string, response: Json]> {
  const codes = codesOf(path, method, operation);
  const { failureAnswers = {} } = operation;
  const statuses = new Set([...codes.map(statusOf), ...Object.keys(failureAnswers).map(Number)]);
  return [...statuses].sort().map((status) => {
    const answer = failureAnswers[status] ?? "Failure";
    const own = codes.filter((code) => statusOf(code) === status);
    const examples = examplesOf([status, answer], own, operation, schemas);
    const possible = answer === "PaymentRequired" ? refusalCodes : Object.keys(examples);
    const response = {
      description: sentenceOf(status, quotasOf(method, operation), operation),
      ...headersOf(status),
      ...(possible.some((code) => code !== "example") && { "x-codes": possible }),
      content: { "application/json": { schema: { $ref: `#/components/schemas/${answer}` }, examples } },
    };
    return [String(status), response];
  });
}

function examplesOf(
  [status, answer]: readonly [number, AnswerName],
  codes: readonly ErrorCode[],
  { body, query }: Operation,
  schemas: Schemas,
): Record<string, { value: Json }> {
  const each = (names: readonly string[], bodyOf: (code: string) => Json) =>
    Object.fromEntries(names.map((name) => [name, { value: bodyOf(name) }]));
  const common = (code: string) => failureExample(code as ErrorCode, body ?? query);
  const base = () => exampleOf({ $ref: answer }, schemas) as Json;
  // A failure of the facilitator itself is not the payment's fault, so its reason is its own code.
  const reasonOf = (code: string) => (statusOf(code as ErrorCode) < 500 ? "invalid_payload" : code);
  const refused = (code: string) => ({ error: describeRefusal(code, "0.050 HBD"), code });
  switch (answer) {
    case "PaymentRequired":
      return each(["payment_required"], (code) => ({ ...base(), ...refused(code) }));
    case "PaymentUnavailable":
      return {
        ...each(codes, common),
        ...each(unavailableCodes, refused),
      };
    case "PaymentRejected":
      return {
        ...each(codes, common),
        ...Object.fromEntries(
          rejectionCodes
            .filter((code) => rejections[code].status === status)
            .map((code) => [code, { value: rejectionBody(code) }]),
        ),
      };
    case "VerifyFailure":
      return each(codes, (code) => ({ isValid: false, invalidReason: reasonOf(code), ...common(code) }));
    case "SettleFailure":
      return each(codes, (code) => ({ success: false, errorReason: reasonOf(code), ...common(code) }));
    case "Readiness":
      return each(["example"], () => ({ ...base(), status: "unavailable" }));
    case "FacilitatorHealth":
      return each(["example"], () => ({ ...base(), status: "degraded" }));
    default:
      return each(codes, common);
  }
}

function sentenceOf(status: number, quotas: readonly RateLimit<never>[], { bodyBytes }: Operation): string {
  const phrase = STATUS_CODES[status] ?? "Failure";
  if (status === 413) return `${phrase}: over ${(bodyBytes ?? BODY_LIMIT_BYTES) / 1024} KiB`;
  if (status === 429 && quotas.length > 0) return `${phrase}: over ${quotas.map(describeQuota).join("; ")}`;
  return phrase;
}

function headersOf(status: number): { headers?: Json } {
  const header = (description: string, type = "string") => ({ description, schema: { type } });
  const retry = { "retry-after": header("seconds to wait before retrying", "integer") };
  if (status === 401) return { headers: { "www-authenticate": header("`Bearer`") } };
  if (status === 429)
    return {
      headers: {
        ...retry,
        ratelimit: header("remaining requests of the quota (`r`), and seconds until it is full again (`t`)"),
        "ratelimit-policy": header("the quota: requests (`q`) in a window (`w`, seconds)"),
      },
    };
  return status === 503 ? { headers: retry } : {};
}
