import { z } from "zod";
import { CodedError, type ErrorCode } from "../errors.ts";

/** What the backend said, kept for mapping and for the log: its status and error id, never its text. */
export class BackendRefusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, id: string) {
    super(`status ${status}`);
    this.name = "BackendRefusal";
    this.status = status;
    this.code = `${status} ${id}`;
  }
}

const ErrorBody = z.object({ id: z.string().regex(/^[\w.-]{1,128}$/) });

const NO_SUCH_ROUTE = "api.context.404.app_error";

const byStatus: Readonly<Record<number, ErrorCode>> = {
  400: "invalid_request",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  409: "conflict",
  413: "payload_too_large",
};

/** The error of an answer with a failing status. A refusal not in the backend's own shape comes from something else. */
export function refusalOf(status: number, body: unknown, isAdmin: boolean): CodedError {
  const id = ErrorBody.safeParse(body).data?.id;
  const cause = new BackendRefusal(status, id ?? "unknown");
  if (status === 429) return new CodedError("overloaded", { cause });
  const code = id === undefined || id === NO_SUCH_ROUTE ? undefined : byStatus[status];
  // The service's own token being refused is the operator's trouble, not the caller's.
  const isOurs = isAdmin && (status === 401 || status === 403);
  return new CodedError(code === undefined || isOurs ? "backend_unreachable" : code, { cause });
}

/** The error of a call without a usable answer. */
export function failureOf(error: unknown, isOverdue: boolean): CodedError {
  if (error instanceof CodedError) return error;
  const isConnectTimeout = (error as { code?: unknown })?.code === "UND_ERR_CONNECT_TIMEOUT";
  return new CodedError(isOverdue || isConnectTimeout ? "backend_timeout" : "backend_unreachable", {
    cause: error,
  });
}

/** Whether the backend refused with one of these error ids. */
export function isRefusal(error: unknown, ...ids: string[]): boolean {
  if (!(error instanceof CodedError) || !(error.cause instanceof BackendRefusal)) return false;
  const { code } = error.cause;
  return ids.some((id) => code.endsWith(` ${id}`));
}
