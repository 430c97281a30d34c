import { afterEach, expect, test } from "vitest";
import { log } from "../../../lib/log.ts";
import { type Collector, startCollector } from "../../harness/start-collector.ts";
import { type LocalGateway, startGateway } from "../../harness/start-gateway.ts";

const open: Array<{ close(): Promise<void> }> = [];
const opened = <T extends { close(): Promise<void> }>(one: T): T => {
  open.push(one);
  return one;
};
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

const statusOf = async ({ url }: LocalGateway) => (await fetch(`${url}/api/health/live`)).status;

test("a gateway uses the settings passed to it instead of environment variables", async () => {
  expect(process.env).not.toHaveProperty("CHAT_ADMIN_TOKEN");
  const gateway = opened(await startGateway({ settings: { LOG_LEVEL: "fatal" } }));
  expect(await statusOf(gateway)).toBe(200);
  expect(log().level).toBe("fatal");
});

test("gateways in one process send traces to their own collectors, and none without a collector", async () => {
  const collectors: Collector[] = [opened(await startCollector()), opened(await startCollector())];
  const settings = collectors.map(({ url }) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url }));
  const gateways = await Promise.all([{}, ...settings].map((settings) => startGateway({ settings })));
  for (const gateway of gateways) expect(await statusOf(gateway)).toBe(200);
  // A gateway's traces are complete once it has stopped.
  for (const gateway of gateways) await gateway.close();
  expect(collectors.map(({ spans }) => spans.map(({ name }) => name))).toEqual([
    ["GET /api/health/live"],
    ["GET /api/health/live"],
  ]);
});
