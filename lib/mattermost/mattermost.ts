import { type Dispatcher, Pool } from "undici";
import { type ZodType, z } from "zod";
import type { AbortEvent } from "../async/departure.ts";
import { type PushedBody, readPushed } from "../async/pushed-body.ts";
import { CodedError } from "../errors.ts";
import { nameOfSecret } from "../secret.ts";
import { Deadline, exchange, failureOf, isBreakdown, refusalOf } from "./exchange.ts";
import { PushedAnswer } from "./pushed-answer.ts";
import { createRepeatedAnswers } from "./repeated-answers.ts";

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // `undefined` marks an answer that does not come from Mattermost.
    return undefined;
  }
}

const bodyText = (body: unknown) => (body === undefined ? undefined : JSON.stringify(body));

type Method = "GET" | "POST" | "PUT" | "DELETE";

/** Access to Mattermost with one token. */
export type MattermostCaller = {
  /** Sends one call and parses its answer. @throws CodedError */
  call<T extends ZodType>(method: Method, path: string, answer: T, body?: unknown): Promise<z.infer<T>>;
  /**
   * Sends one GET, or a POST of a body that changes nothing, whose answer is often the same as the last one, even to
   * other callers, and then not parsed again. Several callers may share the value, so none may change it.
   * @throws CodedError
   */
  read<T extends ZodType>(path: string, answer: T, body?: unknown): Promise<z.infer<T>>;
  /** Does the same for an answer that differs from caller to caller, such as the caller's own user. @throws CodedError */
  readOwn<T extends ZodType>(path: string, answer: T): Promise<z.infer<T>>;
  /**
   * Sends one GET and passes on an answer of 2xx or 304. `bodyTimeoutMs` is the time for the body once it has
   * begun; such calls use separate connections.
   * @throws CodedError
   */
  stream(
    path: string,
    headers: Record<string, string>,
    options?: { bodyTimeoutMs?: number },
  ): Promise<StreamedAnswer>;
  /** Sends one POST of bytes, within `limitMs`, and parses its answer. @throws CodedError */
  send<T extends ZodType>(
    path: string,
    answer: T,
    headers: Record<string, string>,
    bytes: Uint8Array,
    limitMs: number,
  ): Promise<z.infer<T>>;
};

export type StreamedAnswer = {
  status: number;
  header(name: string): string | undefined;
  body: PushedBody;
  /** Returns whether the deadline has cut the call off. */
  isLate(): boolean;
  /** Resolves once the answer's connection is free again. */
  ended: Promise<void>;
};

export type Mattermost = {
  /** Returns access with a user's token; `signal` cancels its calls. */
  as(token: string, signal?: AbortEvent): MattermostCaller;
  /**
   * Returns access with the service's own token. If Mattermost refuses that token, the caller never gets 401
   * or 403 for it.
   */
  asAdmin(token: string, signal?: AbortEvent): MattermostCaller;
  /**
   * Sends one GET without a token, within `timeoutMs`, and parses its answer whatever its status except 429.
   * @throws CodedError `overloaded`
   */
  askOpenly<T extends ZodType>(path: string, answer: T, timeoutMs: number): Promise<z.infer<T>>;
  close(): Promise<void>;
};

/** The outcome of a call: `ok`, the code of its error, or `gone` if its caller disconnected. */
export type MattermostCall = {
  method: string;
  route: string;
  outcome: string;
  seconds: number;
  /** True if Mattermost failed: no answer, or a 5xx. */
  isBroken: boolean;
};

/** Begins to trace a call: returns the headers to send to Mattermost, and a listener for the outcome. */
export type Follow = (call: { method: string; route: string }) => {
  headers: Readonly<Record<string, string>>;
  end(outcome: string): void;
} | null;

type Settings = {
  baseUrl: string;
  timeoutMs: number;
  onCall?: (call: MattermostCall) => void;
  /**
   * Called with the `X-Version-Id` of each answer to a call: version, build, a digest of the settings that clients see,
   * and whether there is a licence.
   */
  onVersionId?: (versionId: string) => void;
  follow?: Follow;
};

const TOO_MANY_REQUESTS = 429;
const CONNECTIONS = 64;
/** A separate pool for pictures, because they need no token and a slow one occupies its connection. */
export const PICTURE_CONNECTIONS = 16;
/** Maximum simultaneous file transfers, in both directions together. */
export const TRANSFER_CONNECTIONS = 16;
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
/** Maximum length of all stored answers that many callers get alike. */
const MOST_REPEATED_CHARACTERS = 8 * 1024 * 1024;
/** The same for answers to one caller each, a few thousand users, and for those to requests with bodies. */
const MOST_OWN_CHARACTERS = 4 * 1024 * 1024;

/**
 * Creates connections to a Mattermost server: pools for calls, pictures and file transfers. `baseUrl` ends in
 * `/api/v4`. Every call ends within `timeoutMs`, unless it has a limit of its own.
 */
export function createMattermost({ baseUrl, timeoutMs, onCall, onVersionId, follow }: Settings): Mattermost {
  const { origin, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/\/+$/, "");
  // The deadline is the only clock of a call, because undici's own are coarse, and could end the call earlier
  // as a broken connection.
  const limits = { connect: { timeout: timeoutMs }, headersTimeout: 0, bodyTimeout: 0 };
  const pool = new Pool(origin, { ...limits, connections: CONNECTIONS });
  const streams = new Pool(origin, { ...limits, connections: PICTURE_CONNECTIONS });
  const transfers = new Pool(origin, { ...limits, connections: TRANSFER_CONNECTIONS });
  const repeated = createRepeatedAnswers(MOST_REPEATED_CHARACTERS);
  const repeatedToBodies = createRepeatedAnswers(MOST_OWN_CHARACTERS);
  const repeatedToOne = createRepeatedAnswers(MOST_OWN_CHARACTERS);

  /** Begins a call, and reports its outcome at the end. */
  const begin = (method: string, path: string, signal: AbortEvent | undefined, limitMs = timeoutMs) =>
    new Call({ method, path, signal, limitMs, onCall, follow });

  const callerWith = (token: string, isAdmin: boolean, signal: AbortEvent | undefined): MattermostCaller => {
    const authorization = `Bearer ${token}`;
    const ask = async <T>(
      method: Method,
      path: string,
      body: string | undefined,
      parse: (text: string) => T,
    ): Promise<T> => {
      const call = begin(method, path, signal);
      try {
        const headers: Record<string, string> = { ...call.headers, authorization };
        const request: Dispatcher.DispatchOptions = { method, path: prefix + path, headers };
        if (body !== undefined) {
          headers["content-type"] = "application/json";
          request.body = body;
        }
        const { status, text, versionId } = await exchange(pool, request, MAX_ANSWER_BYTES, call.deadline);
        call.deadline.clear();
        if (versionId !== undefined) onVersionId?.(versionId);
        if (status >= 300) throw refusalOf(status, parsed(text), isAdmin);
        return call.succeed(parse(text));
      } catch (error) {
        throw call.fail(error);
      }
    };
    return {
      call: (method, path, answer, body) =>
        ask(method, path, bodyText(body), (text) => answer.parse(JSON.parse(text))),
      read(path, answer, body) {
        const sent = bodyText(body);
        const key = sent === undefined ? path : `${path} ${sent}`;
        // The service's checks of everyone would displace what people read.
        const parse = (text: string) => {
          if (isAdmin) return answer.parse(JSON.parse(text));
          return (sent === undefined ? repeated : repeatedToBodies).parse(answer, key, text);
        };
        return ask(sent === undefined ? "GET" : "POST", path, sent, parse);
      },
      readOwn: (path, answer) =>
        ask("GET", path, undefined, (text) =>
          repeatedToOne.parse(answer, `${nameOfSecret(token)} ${path}`, text),
        ),
      async stream(path, headers, { bodyTimeoutMs } = {}) {
        const call = begin("GET", path, signal);
        try {
          const request = {
            method: "GET",
            path: prefix + path,
            headers: { ...headers, ...call.headers, authorization },
          } as const;
          const isTransfer = bodyTimeoutMs !== undefined;
          const body = await PushedAnswer.ask(isTransfer ? transfers : streams, request, call.deadline);
          const { status, ended } = body;
          let until = call.deadline;
          if (isTransfer) {
            until.clear();
            until = new Deadline(bodyTimeoutMs, signal);
          }
          until.onEnd(() => body.cut());
          void ended.then(() => until.clear());
          if (status === 416) {
            await readPushed(body, MAX_ANSWER_BYTES);
            throw new CodedError("range_not_satisfiable");
          }
          if (status >= 300 && status !== 304) {
            const text = await readPushed(body, MAX_ANSWER_BYTES);
            throw refusalOf(status, parsed(text.toString("utf8")), isAdmin);
          }
          const header = (name: string) => body.header(name);
          return call.succeed({ status, header, body, isLate: () => until.isOver, ended });
        } catch (error) {
          throw call.fail(error);
        }
      },
      async send(path, answer, headers, bytes, limitMs) {
        const call = begin("POST", path, signal, limitMs);
        try {
          const request = {
            method: "POST",
            path: prefix + path,
            headers: { ...headers, ...call.headers, authorization },
            body: bytes,
          } as const;
          const { status, text } = await exchange(transfers, request, MAX_ANSWER_BYTES, call.deadline);
          call.deadline.clear();
          if (status >= 300) throw refusalOf(status, parsed(text), isAdmin);
          return call.succeed(answer.parse(JSON.parse(text)));
        } catch (error) {
          throw call.fail(error);
        }
      },
    };
  };

  return {
    as: (token, signal) => callerWith(token, false, signal),
    asAdmin: (token, signal) => callerWith(token, true, signal),
    async askOpenly(path, answer, limitMs) {
      const call = begin("GET", path, undefined, limitMs);
      try {
        const request = { method: "GET", path: prefix + path, headers: call.headers } as const;
        const { status, text, versionId } = await exchange(pool, request, MAX_ANSWER_BYTES, call.deadline);
        call.deadline.clear();
        if (versionId !== undefined) onVersionId?.(versionId);
        if (status === TOO_MANY_REQUESTS) throw refusalOf(status, undefined, false);
        return call.succeed(answer.parse(JSON.parse(text)));
      } catch (error) {
        throw call.fail(error);
      }
    },
    async close() {
      await Promise.all([pool, streams, transfers].map((each) => each.destroy()));
    },
  };
}

const noHeaders: Readonly<Record<string, string>> = {};

/** One call to Mattermost: its deadline, and the report of its outcome. */
class Call {
  readonly deadline: Deadline;
  /** The headers of the call's trace. */
  readonly headers: Readonly<Record<string, string>>;
  readonly #startedAtMs = performance.now();
  readonly #method: string;
  readonly #route: string;
  readonly #signal: AbortEvent | undefined;
  readonly #onCall: Settings["onCall"];
  readonly #followed: ReturnType<Follow> | undefined;

  constructor(options: {
    method: string;
    path: string;
    signal: AbortEvent | undefined;
    limitMs: number;
    onCall: Settings["onCall"];
    follow: Settings["follow"];
  }) {
    const { method, path, signal, limitMs, onCall, follow } = options;
    this.#method = method;
    this.#route = routeOf(path);
    this.#signal = signal;
    this.#onCall = onCall;
    this.#followed = follow?.({ method, route: this.#route });
    this.headers = this.#followed?.headers ?? noHeaders;
    this.deadline = new Deadline(limitMs, signal);
  }

  succeed<T>(result: T): T {
    this.#report("ok", false);
    return result;
  }

  /** Returns the error for the caller: a coded one, or the reason why the caller disconnected. */
  fail(error: unknown): unknown {
    this.deadline.clear();
    const failure = failureOf(error, this.deadline.isOver);
    if (!this.#signal?.aborted) {
      this.#report(failure.code, isBreakdown(failure));
      return failure;
    }
    this.#report("gone", false);
    return this.#signal.reason;
  }

  #report(outcome: string, isBroken: boolean): void {
    const seconds = (performance.now() - this.#startedAtMs) / 1000;
    this.#onCall?.({ method: this.#method, route: this.#route, outcome, seconds, isBroken });
    this.#followed?.end(outcome);
  }
}

const unsafe = /^\.{0,2}$/;

/** Builds a path from a template; values cannot leave their segment. */
export function path(template: TemplateStringsArray, ...values: readonly string[]): string {
  return template.reduce((made, text, index) => {
    const value = values[index - 1] ?? "";
    if (unsafe.test(value)) throw new TypeError("a path value must be a name");
    return made + encodeURIComponent(value) + text;
  });
}

const words = new Set(
  [
    "all autocomplete categories channels client config direct email files following ids image limits logout me members name notify_props patch ping",
    "password posts preferences preview reactions read revoke search server sessions stats system teams thread threads thumbnail tokens username users view",
  ].flatMap((line) => line.split(" ")),
);

/** Reduces a path to its fixed words, as a label with few values: `/channels/{}/posts`. */
export function routeOf(path: string): string {
  const end = path.indexOf("?");
  let route = "";
  for (const segment of (end < 0 ? path : path.slice(0, end)).slice(1).split("/"))
    route += words.has(segment) ? `/${segment}` : "/{}";
  return route;
}

/** The answer of a call that returns nothing. */
export const Done = z.object({ status: z.literal("OK") });
