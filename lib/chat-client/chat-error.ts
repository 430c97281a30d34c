import type { ErrorCode } from "../errors.ts";

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

  constructor(details: {
    code: ChatErrorCode;
    status: number;
    message: string;
    requestId?: string | null;
    retryAfterSeconds?: number | null;
    cause?: unknown;
  }) {
    super(details.message, { cause: details.cause });
    this.code = details.code;
    this.status = details.status;
    this.requestId = details.requestId ?? null;
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
  }
}

/** Reads the gateway's error body; anything else becomes `unreadable`. */
export async function readChatError(response: Response): Promise<ChatError> {
  const body = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  const isOurs = typeof body.code === "string" && typeof body.error === "string";
  return new ChatError({
    code: isOurs ? (body.code as ErrorCode) : "unreadable",
    status: response.status,
    message: isOurs ? String(body.error) : `The server answered ${response.status}.`,
    requestId: response.headers.get("x-request-id"),
    retryAfterSeconds: Number(response.headers.get("retry-after")) || null,
  });
}
