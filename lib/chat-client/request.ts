import type { ErrorCode, Issue } from "../errors.ts";

/**
 * The way requests authenticate: by the `Authorization` header or, in pages of the gateway's own origin, by the cookie
 * that bootstrap sets, so that no script of the page holds a token.
 */
export type Carrier = "bearer" | "cookie";

export type CallOptions = { signal?: AbortSignal };

type Query = Readonly<Record<string, string | number | undefined>>;

export type Call = CallOptions & {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  query?: Query;
  body?: unknown;
  /** Sent unchanged, instead of a JSON body. */
  file?: Blob;
  /** The format of a success; default `json`. */
  answer?: "json" | "blob";
  /** Called with the share of the file that has been sent, from 0 to 1, if the platform reports it. */
  onProgress?: (part: number) => void;
  /** Overrides the client's own limit. */
  timeoutMs?: number;
  /** Lets the request continue after the page is left. */
  keepalive?: boolean;
};

/** The part of `fetch` that is used. Wrap the platform's to observe, count or record every call. */
export type Fetch = (address: string, init: RequestInit) => Promise<Response>;

export type Request = <T>(path: string, call?: Call, token?: string) => Promise<T>;

/** Returns an address with the defined query fields. `URL` cannot do this in React Native. */
export function withQuery(address: string, query: Query = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${encodeURIComponent(value)}`,
  );
  return pairs.length > 0 ? `${address}?${pairs.join("&")}` : address;
}

/**
 * Returns whether requests can have the option `credentials`. Cloudflare Workers have no cookies, and throw
 * for a request with `credentials`.
 */
function canTellCredentials(): boolean {
  try {
    return Boolean(new Request("http://localhost", { credentials: "omit" }));
  } catch {
    return false;
  }
}

/** Creates the function that sends a request with a deadline and reads its answer. */
export function createRequest(options: {
  baseUrl: string;
  carrier: Carrier;
  fetch: Fetch | undefined;
  timeoutMs: number;
}): Request {
  const { baseUrl, carrier, timeoutMs } = options;
  const send: Fetch = options.fetch ?? ((address, init) => fetch(address, init));
  const credentials = carrier === "cookie" ? "same-origin" : "omit";
  const knowsCredentials = canTellCredentials();

  return async <T>(path: string, call: Call = {}, token?: string) => {
    if (call.signal?.aborted) throw reasonOf(call.signal);
    const deadline = createDeadline(call.timeoutMs ?? timeoutMs, call.signal);
    const isJson = call.body !== undefined;
    const body = isJson ? JSON.stringify(call.body) : call.file;
    const type = isJson ? "application/json" : call.file?.type;
    const init: RequestInit = {
      method: call.method ?? "GET",
      headers: {
        ...(type !== undefined && { "content-type": type }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      signal: deadline.signal,
      ...(knowsCredentials && { credentials }),
      ...(call.keepalive && { keepalive: true }),
      ...(body !== undefined && { body }),
    };
    try {
      const tells = call.onProgress && globalThis.XMLHttpRequest ? sendTelling(call.onProgress) : send;
      const response = await tells(baseUrl + withQuery(path, call.query), init);
      if (response.ok && call.answer === "blob") return (await response.blob()) as T;
      const answer = await response.json().catch(ignoreSyntax);
      if (!response.ok || answer === undefined) throw readChatError(response, answer);
      return answer as T;
    } catch (error) {
      if (call.signal?.aborted) throw reasonOf(call.signal);
      if (error instanceof ChatError) throw error;
      throw new ChatError({
        code: "offline",
        status: 0,
        message: "The server can't be reached.",
        cause: error,
      });
    } finally {
      deadline.release();
    }
  };
}

/** Creates a `fetch` by `XMLHttpRequest`, because the platform's own does not report upload progress. */
const sendTelling =
  (onProgress: (part: number) => void): Fetch =>
  (address, { method = "POST", headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open(method, address);
      for (const [name, value] of Object.entries(headers as Record<string, string>))
        request.setRequestHeader(name, value);
      request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
      request.onerror = () => reject(new TypeError("The request failed."));
      request.onabort = () => reject(reasonOf(signal ?? undefined));
      request.onload = () => {
        const told = ["retry-after", "x-request-id"].flatMap((name): Array<[string, string]> => {
          const value = request.getResponseHeader(name);
          return value === null ? [] : [[name, value]];
        });
        resolve(new Response(request.responseText, { status: request.status, headers: told }));
      };
      signal?.addEventListener("abort", () => request.abort(), { once: true });
      request.send(body as XMLHttpRequestBodyInit);
    });

/**
 * Returns `undefined` for a syntax error and rethrows others: an answer that is not JSON does not come from
 * the gateway; an interrupted one is a lost connection.
 */
function ignoreSyntax(error: unknown): undefined {
  if (!(error instanceof SyntaxError)) throw error;
}

/** Returns why a signal aborted; React Native's signals give no reason. */
export const reasonOf = (signal: AbortSignal | undefined): unknown =>
  signal?.reason ?? Object.assign(new Error("The call was aborted."), { name: "AbortError" });

/**
 * Creates a signal that aborts with the caller's signal, or after `timeoutMs`. `release` detaches it from
 * both.
 */
export function createDeadline(timeoutMs: number, signal?: AbortSignal) {
  // React Native lacks AbortSignal.any and AbortSignal.timeout.
  const controller = new AbortController();
  const abort = () => controller.abort(reasonOf(signal));
  const timer = setTimeout(
    () => controller.abort(new Error("The server did not answer in time.")),
    timeoutMs,
  );
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  return {
    signal: controller.signal,
    release() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    },
  };
}

/**
 * Shares work among concurrent callers, so that it is done once. A signal ends only its own caller's wait.
 * The work is aborted once no one waits for it.
 */
export function shareWork<T>(begin: (signal: AbortSignal) => Promise<T>) {
  let current: { work: Promise<T>; waiting: number; controller: AbortController } | null = null;
  const start = () => {
    const controller = new AbortController();
    const work = begin(controller.signal).finally(() => {
      if (current === started) current = null;
    });
    const started = { work, waiting: 0, controller };
    return started;
  };
  return (signal?: AbortSignal): Promise<T> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) throw reasonOf(signal);
      current ??= start();
      const shared = current;
      const leave = () => {
        reject(reasonOf(signal));
        shared.waiting -= 1;
        if (shared.waiting > 0) return;
        if (current === shared) current = null;
        shared.controller.abort(reasonOf(signal));
      };
      shared.waiting += 1;
      signal?.addEventListener("abort", leave, { once: true });
      shared.work.then(resolve, reject).finally(() => signal?.removeEventListener("abort", leave));
    });
}

const unreachable = {
  code: "backend_unreachable",
  message: "The server can't be reached; try again in a moment.",
} as const;

/** Error codes, by status, for refusals by proxies, which lack the gateway's error body. */
const ofProxies: Readonly<Record<number, { code: ErrorCode; message: string }>> = {
  413: { code: "payload_too_large", message: "This is larger than a proxy before the server lets through." },
  429: { code: "rate_limited", message: "Too many requests; try again later." },
  502: unreachable,
  503: unreachable,
  504: unreachable,
};

/**
 * A code of the gateway, or one of the client's own: `offline` if no answer arrived, and `unreadable` if the answer
 * did not come from the gateway, or refuses an action over the websocket.
 */
export type ChatErrorCode = ErrorCode | "offline" | "unreadable";

/** An error of the gateway, or a missing or unreadable answer. `message` can be shown to users. */
export class ChatError extends Error {
  override readonly name = "ChatError";
  readonly code: ChatErrorCode;
  /**
   * The HTTP status; 0 for an error without an HTTP answer: none arrived, or the websocket failed or was refused.
   */
  readonly status: number;
  /** Identifies the request in the operator's log. */
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;
  /** The invalid parts of the request, with the code `invalid_request`. */
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
function readChatError(response: Response, answer: unknown): ChatError {
  const { code, error, issues } = (answer ?? {}) as Record<string, unknown>;
  const isOurs = !response.ok && typeof code === "string" && typeof error === "string";
  const foreign = ofProxies[response.status] ?? {
    code: "unreadable" as const,
    message: `The server answered ${response.status}.`,
  };
  return new ChatError({
    code: isOurs ? (code as ErrorCode) : foreign.code,
    status: response.status,
    message: isOurs ? error : foreign.message,
    requestId: response.headers.get("x-request-id"),
    retryAfterSeconds: Number(response.headers.get("retry-after")) || null,
    ...(isOurs && Array.isArray(issues) && { issues }),
  });
}
