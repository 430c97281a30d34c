import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { plainLog } from "../../../lib/log.ts";
import { metrics } from "../../../lib/metrics.ts";
import { exchangeBytes } from "../../harness/exchange-bytes.ts";
import { tableOf } from "../../harness/http-scope.ts";
import { openHttpServer } from "../../harness/open-http-server.ts";

const paths = { "/api/things/[name]": { GET: () => new Response("a thing") } };
const port = openHttpServer((http) => tableOf(http, paths));
let address = "";

beforeAll(() => {
  address = `http://127.0.0.1:${port()}`;
});
afterEach(() => void vi.restoreAllMocks());

const preflight = (origin: string) =>
  fetch(`${address}/api/things/a`, {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": "PATCH",
      "access-control-request-headers": "authorization,content-type",
    },
  });

describe("a preflight", () => {
  it("lets any origin send a bearer token, JSON and a payment", async () => {
    const { status, headers } = await preflight("https://anyone.example");
    expect(status).toBe(204);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-allow-credentials")).toBeNull();
    expect(headers.get("access-control-allow-methods")).toContain("PATCH");
    expect(headers.get("access-control-allow-headers")).toMatch(/authorization.*content-type/);
    // The headers of payments in both versions of the protocol.
    for (const name of ["x-payment", "payment-signature"])
      expect(headers.get("access-control-allow-headers")?.split(", ")).toContain(name);
    expect(headers.get("x-request-id")).toBeTruthy();
  });

  it("lets an allowed origin send the cookie", async () => {
    const { headers } = await preflight("https://app.example.com");
    expect(headers.get("access-control-allow-origin")).toBe("https://app.example.com");
    expect(headers.get("access-control-allow-credentials")).toBe("true");
    expect(headers.get("vary")).toContain("Origin");
  });
});

const cases = [
  { name: "a preflight", method: "OPTIONS", path: "/api/things/secret", status: 204 },
  {
    name: "a redirect from a trailing slash",
    method: "GET",
    path: "/api/things/secret/?q=secret",
    status: 308,
  },
  { name: "a method that the route lacks", method: "DELETE", path: "/api/things/secret", status: 405 },
];

/** Returns the number of answered requests with these labels. */
async function countOf(labels: { method: string; route: string; status: string }) {
  const { values } = await metrics().httpSeconds.get();
  const isMeant = ({ labels: found }: { labels: object }) =>
    Object.entries(labels).every(([name, value]) => found[name as never] === value);
  return values.find((value) => value.metricName?.endsWith("_count") && isMeant(value))?.value ?? 0;
}

describe.each(cases)("$name", ({ method, path, status }) => {
  it("has one line in the log, with the route but not the path or query", async () => {
    const lines = vi.spyOn(plainLog(), "info");
    const ask = { method, headers: { "x-request-id": "asked-once" }, redirect: "manual" } as const;
    expect((await fetch(`${address}${path}`, ask)).status).toBe(status);
    const route = "/api/things/{name}";
    expect(lines.mock.calls).toEqual([
      [expect.objectContaining({ requestId: "asked-once", method, route, status }), "request"],
    ]);
    expect(JSON.stringify(lines.mock.calls)).not.toContain("secret");
  });

  it("is counted under its route", async () => {
    const labels = { method, route: "/api/things/[name]", status: String(status) };
    const before = await countOf(labels);
    await fetch(`${address}${path}`, { method, redirect: "manual" });
    await expect.poll(() => countOf(labels)).toBe(before + 1);
  });
});

const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n";
const refused = [
  {
    name: "a method that no web request can have",
    text: "TRACE /chat HTTP/1.1\r\nHost: x\r\n",
    method: "other",
    status: 405,
  },
  { name: "a request without Host", text: "GET /chat HTTP/1.1\r\n", method: "GET", status: 400 },
  {
    name: "an upgrade of an unknown path",
    text: `GET /chat HTTP/1.1\r\nHost: x\r\n${upgrade}`,
    method: "GET",
    status: 404,
  },
  { name: "invalid HTTP", text: "nonsense\r\n", method: "other", status: 400 },
  {
    name: "an oversized head",
    text: `GET / HTTP/1.1\r\nx: ${"y".repeat(20_000)}\r\n`,
    method: "other",
    status: 431,
  },
];

describe.each(refused)("$name", ({ text, method, status }) => {
  it("is refused before any route, counted once and logged with the sent status", async () => {
    const lines = vi.spyOn(plainLog(), "info");
    const labels = { method, route: "none", status: String(status) };
    const before = await countOf(labels);
    const answer = await exchangeBytes(port(), `${text}Connection: close\r\n\r\n`);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(lines.mock.calls.map(([entry]) => entry)).toMatchObject([{ route: "none", status }]);
    expect(await countOf(labels)).toBe(before + 1);
  });
});
