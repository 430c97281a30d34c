import { fetchRecorded } from "../_wire/fetch-recorded.ts";

/** What the gateway answered instead of the thing asked for; `message` is fit to be shown. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(details: {
    status: number;
    code: string;
    message: string;
    requestId?: string | null;
    retryAfterSeconds?: number | null;
  }) {
    super(details.message);
    this.name = "ApiError";
    this.status = details.status;
    this.code = details.code;
    this.requestId = details.requestId ?? null;
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
  }
}

type CallOptions = {
  method?: "GET" | "POST" | "PATCH" | "DELETE";
  body?: unknown;
  signal?: AbortSignal;
  /** Goes on after the page is left. */
  keepalive?: boolean;
};

async function toApiError(response: Response): Promise<ApiError> {
  const answer = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  return new ApiError({
    status: response.status,
    code: typeof answer.code === "string" ? answer.code : "unknown",
    message: typeof answer.error === "string" ? answer.error : `The server answered ${response.status}.`,
    requestId: response.headers.get("x-request-id"),
    retryAfterSeconds: Number(response.headers.get("retry-after")) || null,
  });
}

/**
 * Calls one of the gateway's JSON routes with the browser's cookies.
 * @throws ApiError for every answer but 2xx; code `offline` when there was none.
 */
export async function callApi<T>(path: string, options: CallOptions = {}): Promise<T> {
  const init: RequestInit = { method: options.method ?? "GET", credentials: "same-origin" };
  if (options.signal) init.signal = options.signal;
  if (options.keepalive) init.keepalive = true;
  if (options.body !== undefined) {
    init.body = JSON.stringify(options.body);
    init.headers = { "content-type": "application/json" };
  }
  let response: Response;
  try {
    response = await fetchRecorded(path, init);
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new ApiError({ status: 0, code: "offline", message: "The server can't be reached." });
  }
  if (!response.ok) throw await toApiError(response);
  return (await response.json()) as T;
}
