import type { ErrorCode, Issue } from "../errors.ts";

/** `offline`: no answer came; `unreadable`: what came was no answer of the gateway. */
export type ChatErrorCode = ErrorCode | "offline" | "unreadable";

/** What the gateway answered instead of the thing asked for; `message` is fit to be shown. */
export class ChatError extends Error {
  override readonly name = "ChatError";
  readonly code: ChatErrorCode;
  /** The HTTP status; 0 where no answer came. */
  readonly status: number;
  /** Names the request in the operator's log. */
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;
  /** Which parts of the request are not valid, with the code `invalid_request`. */
  readonly issues: readonly Issue[];

  constructor(details: {
    code: ChatErrorCode;
    status: number;
    message: string;
    requestId?: string | null;
    retryAfterSeconds?: number | null;
    issues?: readonly Issue[];
    cause?: unknown;
  }) {
    super(details.message, { cause: details.cause });
    this.code = details.code;
    this.status = details.status;
    this.requestId = details.requestId ?? null;
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
    this.issues = details.issues ?? [];
  }
}

/** Reads the gateway's error body; anything else becomes `unreadable`. */
export function readChatError(response: Response, answer: unknown): ChatError {
  const { code, error, issues } = (answer ?? {}) as Record<string, unknown>;
  const isOurs = !response.ok && typeof code === "string" && typeof error === "string";
  return new ChatError({
    code: isOurs ? (code as ErrorCode) : "unreadable",
    status: response.status,
    message: isOurs ? error : `The server answered ${response.status}.`,
    requestId: response.headers.get("x-request-id"),
    retryAfterSeconds: Number(response.headers.get("retry-after")) || null,
    ...(isOurs && Array.isArray(issues) && { issues }),
  });
}
