import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Secret } from "../../lib/secret.ts";
import { createSpanExporter, type OtlpSpan } from "../../lib/tracing.ts";
import { type Collector, startCollector } from "../harness/start-collector.ts";

let collector: Collector;
let troubles: Array<[string | null, number]>;
beforeEach(async () => {
  collector = await startCollector();
  troubles = [];
});
afterEach(() => collector.close());

/** Opens an exporter that reports to the test that opened it, even after that test's end. */
const open = (headers: string | null = null) => {
  const ofTest = troubles;
  return createSpanExporter({
    endpoint: collector.url,
    headers: headers === null ? null : new Secret(headers),
    serviceName: "gate",
    onTrouble: (trouble, lost) => ofTest.push([trouble, lost]),
  });
};
const span = (name: string): OtlpSpan => ({
  ...{ traceId: "a".repeat(32), spanId: "b".repeat(16), name, kind: 2 as const },
  ...{ startTimeUnixNano: "1", endTimeUnixNano: "2", attributes: [], status: { code: 0 as const } },
});
const names = () => collector.spans.map(({ name }) => name);

describe("the span exporter", () => {
  test("sends spans as JSON, with the service's name and the collector's headers", async () => {
    const exporter = open("Api-Key=k%3D1,x-team= ours");
    exporter.add(span("one"));
    exporter.add(span("two"));
    await exporter.flush();
    const [{ headers, body } = { headers: {}, body: "{}" }, ...others] = collector.received;
    expect(others).toEqual([]);
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "api-key": "k=1",
      "x-team": "ours",
    });
    expect(JSON.parse(body)).toEqual({
      resourceSpans: [
        {
          resource: { attributes: [{ key: "service.name", value: { stringValue: "gate" } }] },
          scopeSpans: [{ scope: { name: "hivegate" }, spans: [span("one"), span("two")] }],
        },
      ],
    });
  });

  test.each([503, 429])("retries for a collector that answers %d, and warns once", async (status) => {
    const exporter = open();
    collector.answer = status;
    exporter.add(span("one"));
    await exporter.flush();
    await exporter.flush();
    expect([names(), troubles]).toEqual([[], [[`status ${status}`, 0]]]);
    collector.answer = 200;
    exporter.add(span("two"));
    await exporter.flush();
    expect([names(), troubles.at(-1)]).toEqual([
      ["one", "two"],
      [null, 0],
    ]);
  });

  test("drops spans that the collector refuses, and reports how many", async () => {
    const exporter = open();
    collector.answer = 401;
    exporter.add(span("one"));
    await exporter.flush();
    collector.answer = 200;
    exporter.add(span("two"));
    await exporter.flush();
    expect([names(), troubles]).toEqual([
      ["two"],
      [
        ["status 401", 1],
        [null, 0],
      ],
    ]);
  });

  test("keeps 2,048 spans for a failing collector and drops the rest", async () => {
    const exporter = open();
    collector.answer = 503;
    for (let count = 0; count < 2148; count++) exporter.add(span(String(count)));
    await exporter.flush();
    collector.answer = 200;
    await exporter.flush();
    expect([collector.spans.length, names().at(-1)]).toEqual([2048, "2047"]);
    expect(new Set(names()).size).toBe(2048);
    expect(troubles.reduce((sum, [, lost]) => sum + lost, 0)).toBe(100);
  });

  test("does not hang when it flushes to a silent collector", async () => {
    const exporter = open();
    collector.answer = "hang";
    exporter.add(span("one"));
    await exporter.flush();
    expect(names()).toEqual([]);
  });

  test("sends a full batch without a flush", async () => {
    const exporter = open();
    for (let count = 0; count < 512; count++) exporter.add(span(String(count)));
    await expect.poll(() => collector.spans.length).toBe(512);
  });
});
