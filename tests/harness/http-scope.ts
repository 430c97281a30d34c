import { createHttpScope, type HttpScope, type HttpSettings } from "../../lib/http/record-request.ts";

/** What a server's requests share, for tests of the HTTP layer alone. */
export function httpScope(settings: Partial<HttpSettings> = {}): HttpScope {
  return createHttpScope({
    publicUrl: "https://chat.example.com",
    allowedOrigins: ["https://app.example.com"],
    trustProxy: 0,
    rateLimits: true,
    ...settings,
  });
}
