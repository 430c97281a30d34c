import { Pool } from "undici";
import { type ZodType, z } from "zod";
import { CodedError } from "../errors.ts";
import {
  type Deadline,
  exchange,
  failureOf,
  isBreakdown,
  readLimited,
  refusalOf,
  startDeadline,
  streamBody,
} from "./exchange.ts";

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Undefined marks an answer that is not Mattermost's own.
    return undefined;
  }
}

type Method = "GET" | "POST" | "PUT" | "DELETE";

/** Access to Mattermost with one token. */
export type MattermostCaller = {
  /** Sends one call and parses its answer. @throws CodedError */
  call<T extends ZodType>(method: Method, path: string, answer: T, body?: unknown): Promise<z.infer<T>>;
  /**
   * Sends one GET and passes its answer through: 2xx and 304. With `bodyTimeoutMs`, the body has that long once it has
   * begun, over separate connections.
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
  body: ReadableStream<Uint8Array>;
  /** Returns whether the deadline has cut the call off. */
  isLate(): boolean;
  /** Abandons the answer, so that its connection can be reused. */
  discard(): void;
  /** Resolves once its connection is free again. */
  ended: Promise<void>;
};

export type Mattermost = {
  /** Returns access with a user's token; `signal` cancels its calls. */
  as(token: string, signal?: AbortSignal): MattermostCaller;
  /**
   * Returns access with the service's own token: Mattermost's refusal of that token is never the caller's 401 or 403.
   */
  asAdmin(token: string, signal?: AbortSignal): MattermostCaller;
  /**
   * Sends one GET without a token, within `timeoutMs`, and parses its answer whatever its status but 429. @throws
   * CodedError `overloaded`
   */
  askOpenly<T extends ZodType>(path: string, answer: T, timeoutMs: number): Promise<z.infer<T>>;
  close(): Promise<void>;
};

/** The outcome of a call: `ok`, the code of its error, or `gone` if its caller left. */
export type MattermostCall = {
  method: string;
  route: string;
  outcome: string;
  seconds: number;
  /** True if Mattermost broke: no answer, or a 5xx. */
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
/** A pool apart from the calls': pictures need no token, and a slow one occupies its connection. */
export const PICTURE_CONNECTIONS = 16;
/** Maximum simultaneous file transfers, in both directions together. */
export const TRANSFER_CONNECTIONS = 16;
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/**
 * Creates connections to a Mattermost server: one pool for calls and one for streams. `baseUrl` ends in `/api/v4`, and
 * every call ends within `timeoutMs`.
 */
export function createMattermost({ baseUrl, timeoutMs, onCall, onVersionId, follow }: Settings): Mattermost {
  const { origin, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/\/+$/, "");
  // The deadline is the only clock of a call: undici's own are coarse, and could end it earlier as a broken connection.
  const limits = { connect: { timeout: timeoutMs }, headersTimeout: 0, bodyTimeout: 0 };
  const pool = new Pool(origin, { ...limits, connections: CONNECTIONS });
  const streams = new Pool(origin, { ...limits, connections: PICTURE_CONNECTIONS });
  const transfers = new Pool(origin, { ...limits, connections: TRANSFER_CONNECTIONS });

  /** Runs a call, reports its outcome, and turns every failure into a coded one. */
  const run = async <T>(
    { method, path }: { method: string; path: string },
    signal: AbortSignal | undefined,
    work: (deadline: Deadline, headers: Readonly<Record<string, string>>) => Promise<T>,
    limitMs = timeoutMs,
  ): Promise<T> => {
    const startedAtMs = performance.now();
    const followed = follow?.({ method, route: routeOf(path) });
    const tell = (outcome: string, isBroken = false) => {
      const seconds = (performance.now() - startedAtMs) / 1000;
      onCall?.({ method, route: routeOf(path), outcome, seconds, isBroken });
      followed?.end(outcome);
    };
    const deadline = startDeadline(limitMs, signal);
    try {
      const result = await work(deadline, followed?.headers ?? {});
      tell("ok");
      return result;
    } catch (error) {
      deadline.clear();
      const failure = failureOf(error, deadline.isOver());
      if (signal?.aborted) tell("gone");
      else tell(failure.code, isBreakdown(failure));
      signal?.throwIfAborted();
      throw failure;
    }
  };

  const callerWith = (token: string, isAdmin: boolean, signal: AbortSignal | undefined): MattermostCaller => {
    const authorization = `Bearer ${token}`;
    return {
      call: (method, path, answer, body) =>
        run({ method, path }, signal, async (deadline, more) => {
          const sent = body === undefined ? undefined : JSON.stringify(body);
          const headers = {
            ...more,
            authorization,
            ...(sent !== undefined && { "content-type": "application/json" }),
          };
          const request = { method, path: prefix + path, headers, ...(sent !== undefined && { body: sent }) };
          const { status, text, versionId } = await exchange(pool, request, MAX_ANSWER_BYTES, deadline);
          deadline.clear();
          if (versionId !== undefined) onVersionId?.(versionId);
          if (status >= 300) throw refusalOf(status, parsed(text), isAdmin);
          return answer.parse(JSON.parse(text));
        }),
      stream: (path, headers, { bodyTimeoutMs } = {}) =>
        run({ method: "GET", path }, signal, async (deadline, more) => {
          const cut = new AbortController();
          deadline.onEnd(() => cut.abort());
          const {
            statusCode,
            headers: received,
            body,
          } = await (bodyTimeoutMs === undefined ? streams : transfers).request({
            method: "GET",
            path: prefix + path,
            headers: { ...headers, ...more, authorization },
            signal: cut.signal,
          });
          let until = deadline;
          if (bodyTimeoutMs !== undefined) {
            deadline.clear();
            until = startDeadline(bodyTimeoutMs, signal);
            until.onEnd(() => cut.abort());
          }
          body.once("close", until.clear);
          if (statusCode === 416) {
            await readLimited(body, MAX_ANSWER_BYTES);
            throw new CodedError("range_not_satisfiable");
          }
          if (statusCode >= 300 && statusCode !== 304)
            throw refusalOf(statusCode, parsed(await readLimited(body, MAX_ANSWER_BYTES)), isAdmin);
          return {
            status: statusCode,
            header: (name) => [received[name] ?? []].flat()[0],
            body: streamBody(body),
            isLate: until.isOver,
            discard: () => body.destroy(),
            ended: new Promise((resolve) => body.once("close", resolve)),
          };
        }),
      send: (path, answer, headers, bytes, limitMs) =>
        run(
          { method: "POST", path },
          signal,
          async (deadline, more) => {
            const cut = new AbortController();
            deadline.onEnd(() => cut.abort());
            const { statusCode, body } = await transfers.request({
              method: "POST",
              path: prefix + path,
              headers: { ...headers, ...more, authorization },
              body: bytes,
              signal: cut.signal,
            });
            const text = await readLimited(body, MAX_ANSWER_BYTES);
            deadline.clear();
            if (statusCode >= 300) throw refusalOf(statusCode, parsed(text), isAdmin);
            return answer.parse(JSON.parse(text));
          },
          limitMs,
        ),
    };
  };

  return {
    as: (token, signal) => callerWith(token, false, signal),
    asAdmin: (token, signal) => callerWith(token, true, signal),
    askOpenly: (path, answer, limitMs) =>
      run(
        { method: "GET", path },
        undefined,
        async (deadline, headers) => {
          const request = { method: "GET", path: prefix + path, headers } as const;
          const { status, text, versionId } = await exchange(pool, request, MAX_ANSWER_BYTES, deadline);
          deadline.clear();
          if (versionId !== undefined) onVersionId?.(versionId);
          if (status === TOO_MANY_REQUESTS) throw refusalOf(status, undefined, false);
          return answer.parse(JSON.parse(text));
        },
        limitMs,
      ),
    async close() {
      await Promise.all([pool, streams, transfers].map((each) => each.destroy()));
    },
  };
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

/** Reduces a path to its fixed words, as a label of few values: `/channels/{}/posts`. */
export function routeOf(path: string): string {
  const segments = (path.split("?", 1)[0] ?? "").split("/").slice(1);
  return segments.map((segment) => `/${words.has(segment) ? segment : "{}"}`).join("");
}

/** The answer of calls that return nothing. */
export const Done = z.object({ status: z.literal("OK") });
