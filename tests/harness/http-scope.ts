import { createHttpScope, type HttpScope, type HttpSettings } from "../../lib/http/record-request.ts";
import { createRoute, type Route } from "../../lib/http/route.ts";

/** What a server's requests share, for tests of the HTTP layer alone. */
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

/** `route` for tests that call route functions themselves: they are handed the services, as the dispatcher hands them. */
export function routeWith<Services extends { http: HttpScope }>(services: Services): Route<Services> {
  const route = createRoute<Services>();
  return (options, handler) => {
    const declared = route(options, handler);
    return Object.assign((request: Request, path?: object) => declared(request, { ...path, services }), {
      answer: declared.answer,
      options: declared.options,
    });
  };
}
