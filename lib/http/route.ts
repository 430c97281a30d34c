import { BytesAnswer } from "../async/bytes-answer.ts";
import type { AbortEvent } from "../async/departure.ts";
import { JsonAnswer } from "../async/json-answer.ts";
import { CodedError } from "../errors.ts";
import { MATTERMOST_ID } from "../mattermost-id.ts";
import { answerFromNext } from "./answer-from-next.ts";
import { type RequestHead, readClientAddress } from "./client-address.ts";
import { completeAnswer, errorResponse, gatewayErrorResponse } from "./error-response.ts";
import {
  type Answer,
  type AnswerHeaders,
  assertSameSite,
  preflight,
  prependHeader,
  requestIdOf,
} from "./headers.ts";
import type { HttpScope } from "./http-scope.ts";
import type { AskedRequest } from "./node-request.ts";
import { type RateLimit, spendQuota, writeLimit } from "./rate-limit.ts";
import type { RequestRules } from "./request-rules.ts";
import { type Method, methods, type RouteFunction, type RouteModule } from "./route-table.ts";
import { readToken } from "./token.ts";
import { BODY_LIMIT_BYTES, validate } from "./validate.ts";

/** The input of a handler: a request that meets its rules. */
export type RouteContext<
  Services,
  Params = Readonly<Record<string, string>>,
  Body = unknown,
  Query = unknown,
  Pat = string | null,
> = {
  services: Services;
  request: Request;
  /** The request without its web form, which costs more than most routes. */
  asked: AskedRequest;
  requestId: string;
  params: Params;
  body: Body;
  query: Query;
  /** Null if no PAT is needed. */
  pat: Pat;
  clientAddress: string;
  /** Aborted when the caller disconnects. */
  signal: AbortSignal;
  /** Reports the same event as `signal`, without the cost of a signal, for calls to Mattermost. */
  gone: AbortEvent;
  /** Records, for the log, why a handler that writes its own answers refused the request. */
  onRefusal: (error: unknown) => void;
};

/**
 * The input of one method of a path, and its handler. A returned value becomes 200 JSON; a `Response`,
 * `JsonAnswer` or `BytesAnswer` passes unchanged.
 */
export type Endpoint<Services> = {
  rules: RequestRules;
  // biome-ignore lint/suspicious/noExplicitAny: its own rules decide what each handler is given.
  handler: (context: RouteContext<Services, any, any, any, any>) => unknown;
};

export type Endpoints<Services> = Partial<Record<Method, Endpoint<Services>>>;

type RouteServices = {
  http: HttpScope;
  /** Explains why a request with a PAT failed, or returns the error unchanged. Never rejects. */
  explain?(error: unknown): Promise<unknown>;
  /**
   * Returns the person behind a PAT, for quotas: the same for all PATs of one person. @throws CodedError `unauthorized`
   */
  personOf?(pat: string, signal: AbortSignal): Promise<string>;
};

/**
 * Creates the route of a path, such as `/api/chat/channels/{channelId}/posts`. It checks the rules of the
 * method, calls the handler, and turns thrown errors into the error body. Checks in this order: token,
 * origin, quota, ids, query, body. `findServices` is used when Next calls the route; the dispatcher passes
 * the services of its server.
 */
export function createRoute<Services extends RouteServices>(
  path: string,
  endpoints: Endpoints<Services>,
  findServices: () => Services,
): RouteModule {
  const ids = [...path.matchAll(/\{(\w+Id)\}/g)].map(([, name = ""]) => name);
  const allowed = methods.filter(
    (method) => endpoints[method] ?? (method === "OPTIONS" || (method === "HEAD" && endpoints.GET)),
  );

  async function answer(
    asked: AskedRequest,
    params: Record<string, string>,
    services: Services,
  ): Promise<Answer> {
    const startedAtMs = performance.now();
    const { headers, method } = asked;
    const facts = { headers, method, origins: services.http };
    const endpoint = endpoints[method as Method] ?? (method === "HEAD" ? endpoints.GET : undefined);
    if (!endpoint) {
      if (method === "OPTIONS") return completeAnswer(preflight(), facts, { route: path });
      const refused = gatewayErrorResponse(new CodedError("method_not_allowed"), facts, { route: path });
      refused.headers.set("allow", allowed.join(", "));
      return refused;
    }
    const { rules, handler } = endpoint;
    const requestId = requestIdOf(asked);
    const context = new AskedContext(asked, services, requestId, params);
    let response: Answer;
    let hasMet = false;
    try {
      const reading = meet(rules, context, ids);
      if (reading !== undefined) await reading;
      hasMet = true;
      const value = await handler(context);
      response = isAnswer(value) ? value : new JsonAnswer(value);
      if (rules.cache !== undefined && response.status < 400)
        response.headers.set("cache-control", rules.cache);
    } catch (error) {
      // A caller without a token must not make the gateway ask Mattermost more than once.
      context.failure =
        hasMet && context.pat !== null && services.explain ? await services.explain(error) : error;
      response = errorResponse(context.failure, requestId);
    }
    const { pat, quotas, failure } = context;
    if (hasMet && pat !== null) services.http.tokens.judge(pat, response.status);
    for (const [name, value] of quotas) prependHeader(response.headers, name, value);
    const isGone = asked.gone.aborted;
    return completeAnswer(response, facts, { route: path, requestId, startedAtMs, failure, isGone });
  }

  const serve: RouteFunction = Object.assign(
    async (request: Request, context?: { params?: Promise<Record<string, string>> }) => {
      const services = findServices();
      const params = (await context?.params) ?? {};
      return answerFromNext(request, path, services.http, (asked) => answer(asked, params, services));
    },
    {
      answer: (asked: AskedRequest, params: Record<string, string>, services: unknown) =>
        answer(asked, params, services as Services),
    },
  );
  return { GET: serve, HEAD: serve, POST: serve, PUT: serve, PATCH: serve, DELETE: serve, OPTIONS: serve };
}

/** Creates the route of all other paths: the contract's 404, whatever the method. */
export function notFoundRoute(findServices: () => RouteServices): RouteModule {
  const endpoint: Endpoint<RouteServices> = {
    rules: { auth: "none" },
    handler: () => {
      throw new CodedError("not_found");
    },
  };
  const endpoints = Object.fromEntries(methods.map((method) => [method, endpoint]));
  return createRoute("none", endpoints, findServices);
}

/**
 * Returns the caller's PAT if the request is allowed to use it: a change with a cookie must come from a page
 * of this server or of an allowed origin, and an unproven PAT spends from the client's quota.
 * @throws CodedError `unauthorized`, `forbidden`, `rate_limited`
 */
export function admitToken(request: RequestHead, http: HttpScope): string {
  const { pat, carrier } = readToken(request.headers);
  if (carrier === "cookie") assertSameSite(request, http);
  if (http.rateLimits) http.tokens.checkRequest(pat, readClientAddress(request));
  return pat;
}

/** A request that is being served: the context of its handler, and facts learned meanwhile. */
class AskedContext<Services extends RouteServices> implements RouteContext<Services> {
  readonly services: Services;
  readonly requestId: string;
  readonly params: Record<string, string>;
  readonly clientAddress: string;
  body: unknown;
  query: unknown;
  pat: string | null = null;
  failure: unknown;
  /** The headers of the quotas that the request has spent from. */
  quotas: AnswerHeaders & Map<string, string> = noQuotas;
  readonly asked: AskedRequest;

  constructor(asked: AskedRequest, services: Services, requestId: string, params: Record<string, string>) {
    this.asked = asked;
    this.services = services;
    this.requestId = requestId;
    this.params = params;
    this.clientAddress = readClientAddress(asked);
  }

  get request(): Request {
    return this.asked.request;
  }

  get signal(): AbortSignal {
    return this.asked.signal;
  }

  get gone(): AbortEvent {
    return this.asked.gone;
  }

  readonly onRefusal = (error: unknown): void => {
    this.failure = error;
  };
}

const isAnswer = (value: unknown): value is Response | JsonAnswer | BytesAnswer =>
  value instanceof Response || value instanceof JsonAnswer || value instanceof BytesAnswer;

const noQuotas: Map<string, string> = new Map();
const noLimits: ReadonlyArray<RateLimit<never>> = [];

/**
 * Reads the inputs that the rules require, or refuses the request. Returns no promise if the head is enough.
 */
function meet(
  rules: RequestRules,
  context: AskedContext<RouteServices>,
  /** Path parameters that must be Mattermost ids; any other value is 404. */
  ids: readonly string[],
): Promise<void> | undefined {
  const { asked, services } = context;
  const { http } = services;
  if (rules.auth === undefined) context.pat = admitToken(asked, http);
  const limits = http.rateLimits ? limitsOf(rules, context) : noLimits;
  const isBodyRead = rules.body !== undefined && !rules.hasOwnBodyCheck;
  if (limits.length > 0 || isBodyRead) return meetByReading(rules, context, ids, limits);
  meetHead(rules, context, ids);
  return undefined;
}

function limitsOf(
  rules: RequestRules,
  { pat, asked: { method } }: AskedContext<RouteServices>,
): ReadonlyArray<RateLimit<never>> {
  const isWrite = pat !== null && method !== "GET" && method !== "HEAD";
  return isWrite ? [writeLimit, ...(rules.limits ?? [])] : (rules.limits ?? noLimits);
}

async function meetByReading(
  rules: RequestRules,
  context: AskedContext<RouteServices>,
  ids: readonly string[],
  limits: ReadonlyArray<RateLimit<never>>,
): Promise<void> {
  const { asked, services, pat, clientAddress } = context;
  const { http, personOf } = services;
  const quotas = new Map<string, string>();
  context.quotas = quotas;
  const isCounted = pat !== null && limits.some(({ by }) => by === "person");
  const person = isCounted && personOf ? await personOf(pat, asked.signal) : pat;
  for (const limit of limits) {
    if (limit.by === "client") spendQuota(limit, clientAddress, quotas, http.quotas);
    if (limit.by === "person" && person !== null) spendQuota(limit, person, quotas, http.quotas);
  }
  meetHead(rules, context, ids);
  const schema = rules.hasOwnBodyCheck ? undefined : rules.body;
  const isLeftOut = rules.isBodyOptional && asked.headers.get("content-type") === null;
  const readBody = () => asked.readJson(rules.bodyBytes ?? BODY_LIMIT_BYTES);
  context.body = schema && validate(schema, isLeftOut ? {} : await readBody());
  for (const limit of limits) {
    const subject = typeof limit.by === "function" ? limit.by(context.body as never, clientAddress) : null;
    if (subject !== null) spendQuota(limit, subject, quotas, http.quotas);
  }
}

/** Checks ids and query. */
function meetHead(rules: RequestRules, context: AskedContext<RouteServices>, ids: readonly string[]): void {
  const { asked, params } = context;
  for (const name of ids) if (!MATTERMOST_ID.test(params[name] ?? "")) throw new CodedError("not_found");
  if (rules.query) context.query = validate(rules.query, Object.fromEntries(new URL(asked.url).searchParams));
}
