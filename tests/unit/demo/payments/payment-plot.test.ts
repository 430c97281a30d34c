import { expect, test } from "vitest";
import { curlOf, typeOf } from "#app/(demo)/_reference/document.ts";
import { sumAll, sumByDay } from "#app/(demo)/payments/payment-plot.tsx";
import type { Payment } from "#lib/contract/payment-answers.ts";

const payment = (time: string, amount: string, direction: Payment["direction"]): Payment => ({
  txId: "t",
  blockNum: 1,
  time,
  from: "alice",
  to: "shop",
  amount,
  direction,
});
const payments = [
  payment("2026-03-02T23:59:57Z", "0.050 HBD", "paid"),
  payment("2026-03-02T00:00:00Z", "0.010 HBD", "earned"),
  payment("2026-03-01T12:00:00Z", "1.000 HBD", "paid"),
  payment("2026-02-01T12:00:00Z", "7.000 HBD", "paid"),
];

test("payments are summed by UTC day, with zero for empty days, and older payments are left out", () => {
  expect(sumByDay(payments, 3, Date.parse("2026-03-03T08:00:00Z"))).toEqual([
    { date: "2026-03-01", paid: 1000, earned: 0 },
    { date: "2026-03-02", paid: 50, earned: 10 },
    { date: "2026-03-03", paid: 0, earned: 0 },
  ]);
  expect(sumAll(payments)).toEqual({ paid: 8050, earned: 10, refunded: 0 });
});

test("refunds are summed apart from paid and earned amounts", () => {
  const refund = { ...payment("2026-03-02T10:00:00Z", "0.020 HBD", "earned"), refundOf: "t" };
  const all = [refund, ...payments];
  expect(sumAll(all)).toEqual({ paid: 8050, earned: 10, refunded: 20 });
  expect(sumByDay(all, 1, Date.parse("2026-03-02T23:00:00Z"))).toMatchObject([{ paid: 50, earned: 10 }]);
});

test("the API reference formats types and example commands", () => {
  expect(typeOf({ type: "array", items: { $ref: "#/components/schemas/User" } })).toBe("User[]");
  expect(typeOf({ type: ["string", "null"] })).toBe("string | null");
  expect(typeOf({ enum: ["O", "P"] })).toBe('"O" | "P"');
  const body = { type: "object", required: ["mute"], properties: { mute: { type: "boolean" }, x: {} } };
  const operation = {
    operationId: "x",
    summary: "",
    description: "",
    tags: [],
    security: [{ bearer: [] }],
    parameters: [{ name: "q", in: "query", required: true, schema: {} }],
    requestBody: {
      required: true,
      content: { "application/json": { schema: body, example: { mute: true } } },
    },
    responses: {},
  };
  expect(curlOf("http://h", "post", "/api/{channelId}", operation)).toBe(
    [
      'curl -X POST "http://h/api/$channelId?q=…"',
      '-H "authorization: Bearer $TOKEN"',
      "-H 'content-type: application/json'",
      `-d '{"mute":true}'`,
    ].join(" \\\n  "),
  );
});
