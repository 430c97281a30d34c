import type { ZodType, z } from "zod";
import { readJsonBody } from "../async/read-body.ts";
import { CodedError } from "../errors.ts";
import { MATTERMOST_ID } from "../mattermost-id.ts";
import { type RequestHead, readClientAddress } from "./client-address.ts";
import { completeAnswer, errorResponse } from "./error-response.ts";
import {
  type Answer,
  type AnswerHeaders,
  assertSameSite,
  jsonAnswer,
  prependHeader,
  requestIdOf,
  toResponse,
} from "./headers.ts";
import { type LazyRequest, webFormOf } from "./node-request.ts";
import { type RateLimit, spendQuota, writeLimit } from "./rate-limit.ts";
import { type HttpScope, templateOf } from "./record-request.ts";
import { readToken } from "./token.ts";
import { BODY_LIMIT_BYTES, validate } from "./validate.ts";

type Auth = "pat" | "none";

type Options<Id extends string, Body extends ZodType, Query extends ZodType, A extends Auth> = {
  /** `pat` refuses callers without a well-formed PAT and counts their writes. */
  auth?: A;
  /** Path parameters that must be Mattermost ids: anything else is 404. */
  ids?: readonly Id[];
  body?: Body;
  /** Whether a request without a content type is taken for one whose body is `{}`. */
  isBodyOptional?: boolean;
  /** Bytes. */
  bodyLimit?: number;
  query?: Query;
  limit?: RateLimit<z.infer<Body>> | ReadonlyArray<RateLimit<z.infer<Body>>>;
  /** `Cache-Control` of a success. */
  cache?: string;
};

type Parameters<Id extends string> = Readonly<Record<string, string | undefined> & Record<Id, string>>;

/** What a handler is given. */
export type RouteContext<
  Services,
  Id extends string = never,
  Body extends ZodType = ZodType,
  Query extends ZodType = ZodType,
  A extends Auth = Auth,
> = {
  services: Services;
  request: Request;
  requestId: string;
  params: Parameters<Id>;
  body: z.infer<Body>;
  query: z.infer<Query>;
  pat: A extends "pat" ? string : null;
  clientAddress: string;
  /** Aborted when the caller went away. */
  signal: AbortSignal;
  /** Notes for the log why a handler refuses that answers by itself. */
  onRefusal: (error: unknown) => void;
};

type PathContext = {
  params?: Promise<Record<string, string>> | Record<string, string>;
  /** Handed down by the dispatcher. */
  services?: unknown;
};

export type RouteFunction = ((request: Request, context?: PathContext) => Promise<Response>) & {
  /** The same without the web forms, for the dispatcher. */
  answer(request: LazyRequest, context?: PathContext): Promise<Answer>;
  /** What it was declared with. */
  options: Options<string, ZodType, ZodType, Auth>;
};

type RouteServices = {
  http: HttpScope;
  /** Finds what is behind a failure of a caller with a PAT; others come back as they are. Never rejects. */
  explain?(error: unknown): Promise<unknown>;
};

/** Declares a route: what a request must be like, and what is done with it. */
export type Route<Services> = <
  Id extends string = never,
  Body extends ZodType = ZodType<undefined>,
  Query extends ZodType = ZodType<undefined>,
  A extends Auth = "none",
>(
  options: Options<Id, Body, Query, A>,
  handler: (context: RouteContext<Services, Id, Body, Query, A>) => unknown,
) => RouteFunction;

/**
 * Creates `route` for servers made of such services. A route function checks what its options declare, calls the
 * handler, and turns its value into 200 JSON (a `Response` passes) or what it throws into the error body. Order of
 * refusal: token, origin, quota, ids, query, body.
 */
export function createRoute<Services extends RouteServices>(): Route<Services> {
  return (options, handler) => {
    const answer = async (request: Request | LazyRequest, path?: PathContext): Promise<Answer> => {
      const startedAtMs = performance.now();
      const services = servicesOf<Services>(path);
      const requestId = requestIdOf(request);
      const quotas = new Map<string, string>();
      const params = (await path?.params) ?? {};
      let failure: unknown;
      let pat: string | null = null;
      let response: Answer;
      try {
        const checked = await checkRequest(options, services.http, request, params, quotas);
        pat = checked.pat;
        const onRefusal = (error: unknown) => {
          failure = error;
        };
        const value = await handler(Object.assign(checked, { services, requestId, onRefusal }));
        response = value instanceof Response ? value : jsonAnswer(value);
        if (options.cache !== undefined && response.status < 400)
          response.headers.set("cache-control", options.cache);
      } catch (error) {
        // Who needs no token must not make the gateway ask Mattermost more than once.
        failure = pat !== null && services.explain ? await services.explain(error) : error;
        response = errorResponse(failure, requestId);
      }
      if (pat !== null) services.http.tokens.judge(pat, response.status);
      for (const [name, value] of quotas) prependHeader(response.headers, name, value);
      const { headers, method, signal } = request;
      const route = templateOf(new URL(request.url).pathname, params);
      const facts = { headers, method, origins: services.http };
      return completeAnswer(response, facts, {
        ...{ route, requestId, startedAtMs, failure },
        isGone: signal.aborted,
      });
    };
    return Object.assign(
      async (request: Request, path?: PathContext) => toResponse(await answer(request, path)),
      { answer, options },
    );
  };
}

/** @throws Error where something else than a dispatcher calls a route function, Next for one */
function servicesOf<Services>(path: PathContext | undefined): Services {
  if (path?.services === undefined) throw new Error("a route function needs the dispatcher's services");
  return path.services as Services;
}

/**
 * The caller's PAT, if a request may be judged by it: one with the cookie comes from a page of ours, and a PAT that has
 * proven nothing takes from the client's quota.
 * @throws CodedError `unauthorized`, `forbidden`, `rate_limited`
 */
export function admitToken(request: RequestHead, http: HttpScope): string {
  const { pat, carrier } = readToken(request.headers);
  if (carrier === "cookie") assertSameSite(request, http);
  if (http.rateLimits) http.tokens.checkRequest(pat, readClientAddress(request));
  return pat;
}

async function checkRequest<Id extends string, Body extends ZodType, Query extends ZodType, A extends Auth>(
  options: Options<Id, Body, Query, A>,
  http: HttpScope,
  request: Request | LazyRequest,
  params: Record<string, string>,
  quotas: AnswerHeaders,
): Promise<Omit<RouteContext<never, Id, Body, Query, A>, "services" | "requestId" | "onRefusal">> {
  const clientAddress = readClientAddress(request);
  const pat = options.auth === "pat" ? admitToken(request, http) : null;

  const limits = http.rateLimits ? [options.limit ?? []].flat() : [];
  const isWrite = pat !== null && request.method !== "GET" && request.method !== "HEAD";
  if (http.rateLimits && isWrite) spendQuota(writeLimit, pat, quotas, http.quotas);
  for (const limit of limits) {
    if (limit.by === "client") spendQuota(limit, clientAddress, quotas, http.quotas);
    if (limit.by === "pat" && pat !== null) spendQuota(limit, pat, quotas, http.quotas);
  }

  if (options.ids?.some((name) => !MATTERMOST_ID.test(params[name] ?? ""))) throw new CodedError("not_found");
  const query =
    options.query && validate(options.query, Object.fromEntries(new URL(request.url).searchParams));
  const isLeftOut = options.isBodyOptional && request.headers.get("content-type") === null;
  const readBody = () => readJsonBody(webFormOf(request), options.bodyLimit ?? BODY_LIMIT_BYTES);
  const body = options.body && validate(options.body, isLeftOut ? {} : await readBody());
  for (const limit of limits) {
    const subject = typeof limit.by === "function" ? limit.by(body as z.infer<Body>, clientAddress) : null;
    if (subject !== null) spendQuota(limit, subject, quotas, http.quotas);
  }

  return {
    get request() {
      return webFormOf(request);
    },
    params: params as Parameters<Id>,
    body: body as z.infer<Body>,
    query: query as z.infer<Query>,
    pat: pat as A extends "pat" ? string : null,
    clientAddress,
    signal: request.signal,
  };
}
