import type { ZodType, z } from "zod";
import { createHttpScope, type HttpScope, type HttpSettings } from "../../lib/http/http-scope.ts";
import type { RequestRules } from "../../lib/http/request-rules.ts";
import { createRoute, type Endpoints, type RouteContext } from "../../lib/http/route.ts";
import { type Method, methods, type RouteTable } from "../../lib/http/route-table.ts";

/** Creates the state that a server's requests share, for tests of the HTTP layer alone. */
export function httpScope(settings: Partial<HttpSettings> = {}): HttpScope {
  return createHttpScope({
    publicUrl: "https://chat.example.com",
    allowedOrigins: ["https://app.example.com"],
    trustProxy: 0,
    rateLimits: true,
    tracing: null,
    ...settings,
  });
}

type Rules<Body extends ZodType, Query extends ZodType, A extends "pat" | "none"> = Omit<
  RequestRules,
  "auth" | "body" | "query"
> & {
  auth?: A;
  body?: Body;
  query?: Query;
};

type Parameters = { params?: Promise<Record<string, string>> };

/** Returns a function that creates the only route of a path, for tests that call the route directly. */
export function routeWith<Services extends { http: HttpScope }>(services: Services, path = "/api/tested") {
  return <
    Body extends ZodType = ZodType<undefined>,
    Query extends ZodType = ZodType<undefined>,
    A extends "pat" | "none" = "none",
  >(
    { auth, ...rules }: Rules<Body, Query, A>,
    handler: (
      context: RouteContext<
        Services,
        Readonly<Record<string, string>>,
        z.infer<Body>,
        z.infer<Query>,
        A extends "pat" ? string : null
      >,
    ) => unknown,
  ): ((request: Request, context?: Parameters) => Promise<Response>) => {
    const endpoint = { rules: { ...rules, ...(auth !== "pat" && { auth: "none" as const }) }, handler };
    const each = Object.fromEntries(methods.map((method) => [method, endpoint]));
    return createRoute(path, each as Endpoints<Services>, () => services).GET;
  };
}

/** Returns route modules of plain handlers, by their paths' templates. */
export function tableOf(
  http: HttpScope,
  paths: Readonly<
    Record<string, Partial<Record<Method, (context: RouteContext<{ http: HttpScope }>) => unknown>>>
  >,
  rules: Readonly<Record<string, RequestRules>> = {},
): RouteTable {
  return Object.fromEntries(
    Object.entries(paths).map(([template, handlers]) => {
      const path = template.replace(/\[(\w+)\]/g, "{$1}");
      const endpoints = Object.entries(handlers).map(([method, handler]) => [
        method,
        { rules: { auth: "none", ...rules[template] }, handler },
      ]);
      return [template, createRoute(path, Object.fromEntries(endpoints), () => ({ http }))];
    }),
  );
}
