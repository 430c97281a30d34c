import type { Bootstrap } from "../contract/answers.ts";
import { ChatError, readChatError } from "./chat-error.ts";
import { createDeadline } from "./deadline.ts";

/** What bootstrap takes: the account, its access token and, if wanted, a community to be placed in. */
export type Login = { username: string; accessToken: string; community?: string };

export type SessionOptions = {
  /** The gateway's origin, such as `https://chat.example.com`. */
  baseUrl: string;
  /** A chat token that an earlier bootstrap gave. */
  token?: string;
  /** Gives the proof for a bootstrap; called without a token, and again once the token is refused. */
  login?: (options: { signal?: AbortSignal }) => Promise<Login>;
  /**
   * How requests prove who makes them: by the `Authorization` header (default), or, in a page of the gateway's own
   * origin, by the cookie that bootstrap sets, so that no script of the page holds a token.
   */
  carrier?: "bearer" | "cookie";
  /** Called with every new chat token, to keep it for the next start. */
  onToken?: (token: string) => void;
  fetch?: typeof fetch;
  /** Limit of one request in milliseconds; default 30,000. */
  timeoutMs?: number;
};

export type CallOptions = { signal?: AbortSignal };
export type Call = CallOptions & {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  query?: Readonly<Record<string, string | number | undefined>>;
  body?: unknown;
  /** Goes on after the page is left. */
  keepalive?: boolean;
};

/** Who the client is to the gateway: makes its requests, and signs in again once when the token is refused. */
export type Session = {
  /** @throws ChatError */
  call<T>(path: string, call?: Call): Promise<T>;
  /** Bootstraps now. @throws ChatError `unauthorized` without a `login`, and whatever `login` throws */
  signIn(options?: CallOptions): Promise<Bootstrap>;
  /** The chat token in use; undefined before the first sign-in and with the cookie. */
  token(): string | undefined;
  /** A token where one is needed: signs in when there is none yet. */
  ready(options?: CallOptions): Promise<void>;
  forget(): void;
};

const DEFAULT_TIMEOUT_MS = 30_000;

/** Creates a session. @throws TypeError for options that contradict each other */
export function createSession(options: SessionOptions): Session {
  const { login, carrier = "bearer", timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const origin = new URL(options.baseUrl).origin;
  if (carrier === "cookie" && options.token !== undefined)
    throw new TypeError('token goes with carrier "bearer"; the cookie is the browser\'s own');
  if (carrier === "bearer" && options.token === undefined && !login)
    throw new TypeError("give a token, or login, so that the client can get one");
  const send = options.fetch ?? ((...request: Parameters<typeof fetch>) => fetch(...request));
  let token = options.token;
  let signingIn: Promise<Bootstrap> | null = null;

  const request = async <T>(path: string, call: Call): Promise<T> => {
    const url = new URL(`/api/chat${path}`, origin);
    for (const [name, value] of Object.entries(call.query ?? {}))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const deadline = createDeadline(timeoutMs, call.signal);
    const init: RequestInit = {
      method: call.method ?? "GET",
      headers: {
        ...(call.body !== undefined && { "content-type": "application/json" }),
        ...(carrier === "bearer" && token !== undefined && { authorization: `Bearer ${token}` }),
      },
      credentials: carrier === "cookie" ? "same-origin" : "omit",
      signal: deadline.signal,
      ...(call.keepalive && { keepalive: true }),
      ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
    };
    try {
      const response = await send(url.href, init);
      if (!response.ok) throw await readChatError(response);
      return (await response.json()) as T;
    } catch (error) {
      if (call.signal?.aborted || error instanceof ChatError) throw error;
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

  const signIn = (given: CallOptions = {}): Promise<Bootstrap> => {
    // Whoever waits for it with a signal of their own must not end it for the others.
    signingIn ??= (async () => {
      if (!login)
        throw new ChatError({
          code: "unauthorized",
          status: 401,
          message: "The token is missing, expired or not valid, and the client was given no login.",
        });
      const answer = await request<Bootstrap>("/bootstrap", { method: "POST", body: await login({}) });
      if (carrier === "bearer") token = answer.token;
      options.onToken?.(answer.token);
      return answer;
    })().finally(() => {
      signingIn = null;
    });
    return untilAborted(signingIn, given.signal);
  };

  const ready = async (given: CallOptions = {}) => {
    if (carrier === "bearer" && token === undefined) await signIn(given);
  };

  return {
    async call<T>(path: string, call: Call = {}) {
      await ready(call);
      const used = token;
      try {
        return await request<T>(path, call);
      } catch (error) {
        if (!(error instanceof ChatError) || error.code !== "unauthorized" || !login) throw error;
        if (carrier === "cookie" || used === token) await signIn(call);
        return request<T>(path, call);
      }
    },
    signIn,
    token: () => token,
    ready,
    forget() {
      token = undefined;
    },
  };
}

function untilAborted<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
