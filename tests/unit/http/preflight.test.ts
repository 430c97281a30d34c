import { expect, it } from "vitest";
import { preflight } from "../../../lib/http/headers.ts";
import { httpScope } from "../../harness/http-scope.ts";

const ask = (origin: string) =>
  preflight(
    new Request("https://chat.example.com/api/chat/me", {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "PATCH",
        "access-control-request-headers": "authorization,content-type",
      },
    }),
    httpScope(),
  );

it("lets any origin send a bearer token and JSON", () => {
  const { status, headers } = ask("https://anyone.example");
  expect(status).toBe(204);
  expect(headers.get("access-control-allow-origin")).toBe("*");
  expect(headers.get("access-control-allow-credentials")).toBeNull();
  expect(headers.get("access-control-allow-methods")).toContain("PATCH");
  expect(headers.get("access-control-allow-headers")).toMatch(/authorization.*content-type/);
  // A payment of either version of the protocol.
  for (const name of ["x-payment", "payment-signature"])
    expect(headers.get("access-control-allow-headers")?.split(", ")).toContain(name);
  expect(headers.get("x-request-id")).toBeTruthy();
});

it("lets an allowed origin send the cookie", () => {
  const { headers } = ask("https://app.example.com");
  expect(headers.get("access-control-allow-origin")).toBe("https://app.example.com");
  expect(headers.get("access-control-allow-credentials")).toBe("true");
  expect(headers.get("vary")).toContain("Origin");
});
