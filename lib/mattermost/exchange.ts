import type { Dispatcher } from "undici";
import { z } from "zod";
import type { AbortEvent } from "../async/departure.ts";
import { shareClass } from "../async/share-class.ts";
import { CodedError, type ErrorCode, hasCode } from "../errors.ts";

/**
 * Sends a request and reads its whole answer as UTF-8 text. It fails beyond `limitBytes` and at the deadline, even
 * while waiting for a connection.
 */
export function exchange(
  pool: Dispatcher,
  request: Dispatcher.DispatchOptions,
  limitBytes: number,
  deadline: Deadline,
): Promise<{ status: number; text: string; versionId: string | undefined }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let status = 0;
    let versionId: string | undefined;
    let isCut = false;
    let abort: () => void = () => undefined;
    deadline.onEnd(() => {
      isCut = true;
      abort();
      reject(new Error("aborted"));
    });
    pool.dispatch(request, {
      onConnect(abortConnected) {
        if (isCut) abortConnected();
        abort = abortConnected;
      },
      // Informational responses precede the final one.
      onHeaders(statusCode, headers) {
        status = statusCode;
        versionId = headerIn(headers, "x-version-id");
        return true;
      },
      onData(chunk) {
        size += chunk.byteLength;
        if (size > limitBytes) throw new RangeError("the answer is too large");
        chunks.push(chunk);
        return true;
      },
      onComplete() {
        const [first] = chunks;
        const bytes = chunks.length === 1 && first ? first : Buffer.concat(chunks);
        resolve({ status, versionId, text: bytes.toString("utf8") });
      },
      onError: reject,
    });
  });
}

/** Returns the value of a header from alternating names and values; `name` is in lower case. */
export function headerIn(headers: readonly Buffer[] | null, name: string): string | undefined {
  if (headers === null) return undefined;
  for (let index = 0; index < headers.length; index += 2) {
    const word = headers[index];
    if (word?.length === name.length && word.toString("latin1").toLowerCase() === name)
      return headers[index + 1]?.toString("latin1");
  }
  return undefined;
}

/** The end of a call: after some time, or with its signal, whichever comes first. */
export class Deadline {
  /** True if the time is up. */
  isOver = false;
  #hasEnded: boolean;
  #cut: (() => void) | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #signal: AbortEvent | undefined;

  /** Starts the timer. Call `clear` when the work has ended. */
  constructor(timeoutMs: number, signal: AbortEvent | undefined) {
    this.#hasEnded = signal?.aborted ?? false;
    this.#timer = setTimeout(endOverdue, timeoutMs, this);
    this.#signal = signal;
    signal?.addEventListener("abort", this);
  }

  /** Sets the action to run at the end; it runs at once if the end has passed. */
  onEnd(cut: () => void): void {
    this.#cut = cut;
    if (this.#hasEnded) cut();
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this);
  }

  /** Ends the call, because its signal has aborted or its time is up. */
  handleEvent(): void {
    this.#hasEnded = true;
    this.#cut?.();
  }
}

function endOverdue(deadline: Deadline): void {
  deadline.isOver = true;
  deadline.handleEvent();
}

/** Mattermost's refusal, for mapping and the log: its status and error id, never its text. */
export class MattermostRefusal extends Error {
  static {
    shareClass(MattermostRefusal, "MattermostRefusal");
  }

  readonly status: number;
  readonly code: string;

  constructor(status: number, id: string) {
    super(`status ${status}`);
    this.name = "MattermostRefusal";
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

/**
 * Creates the error for an answer with a failing status. A refusal in another format does not come from
 * Mattermost.
 */
export function refusalOf(status: number, body: unknown, isAdmin: boolean): CodedError {
  const id = ErrorBody.safeParse(body).data?.id;
  const cause = new MattermostRefusal(status, id ?? "unknown");
  if (status === 429) return new CodedError("overloaded", { cause });
  const code = id === undefined || id === NO_SUCH_ROUTE ? undefined : byStatus[status];
  // If the service's own token is refused, the operator must act, not the caller.
  const isOurs = isAdmin && (status === 401 || status === 403);
  return new CodedError(code === undefined || isOurs ? "backend_unreachable" : code, { cause });
}

/** Creates the error for a call without a usable answer. */
export function failureOf(error: unknown, isOverdue: boolean): CodedError {
  if (error instanceof CodedError) return error;
  const isConnectTimeout = (error as { code?: unknown })?.code === "UND_ERR_CONNECT_TIMEOUT";
  return new CodedError(isOverdue || isConnectTimeout ? "backend_timeout" : "backend_unreachable", {
    cause: error,
  });
}

const NOT_IMPLEMENTED = 501;

/**
 * Returns whether a call failed because Mattermost gave no answer or a 5xx, other than that for an
 * unsupported operation.
 */
export function isBreakdown({ cause }: CodedError): boolean {
  if (cause instanceof MattermostRefusal) return cause.status >= 500 && cause.status !== NOT_IMPLEMENTED;
  return !isAnswer(cause);
}

/** Returns whether an error comes from an answer of Mattermost rather than from the lack of one. */
export const isAnswer = (cause: unknown) =>
  cause instanceof MattermostRefusal || cause instanceof z.ZodError || cause instanceof SyntaxError;

/**
 * Resolves to the answer, except that a call that is forbidden, or refused with one of these error ids, fails
 * as `not_found`.
 */
export async function notFoundIfForbidden<T>(answer: Promise<T>, ...ids: string[]): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (hasCode(error, "forbidden") || isRefusal(error, ...ids))
      throw new CodedError("not_found", { cause: error });
    throw error;
  }
}

/** Returns whether Mattermost refused with one of these error ids. */
export function isRefusal(error: unknown, ...ids: string[]): boolean {
  if (!(error instanceof CodedError) || !(error.cause instanceof MattermostRefusal)) return false;
  const { code } = error.cause;
  return ids.some((id) => code.endsWith(` ${id}`));
}
