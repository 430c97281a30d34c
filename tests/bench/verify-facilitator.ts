import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serveFacilitator } from "../../lib/cli/serve-facilitator.ts";
import { log } from "../../lib/log.ts";
import { BENCH_CHAIN_ID } from "./verify-payment.ts";

/** The standalone facilitator, without its quotas. */
log("silent");
const { url } = await serveFacilitator({
  host: "127.0.0.1",
  port: 0,
  hive: { nodes: process.argv[2]?.split(",") ?? [], chainId: BENCH_CHAIN_ID, quorum: 2 },
  store: { kind: "sqlite", dataDir: mkdtempSync(join(tmpdir(), "hivegate-bench-")) },
  network: `hive:${BENCH_CHAIN_ID.slice(0, 32)}`,
  logLevel: "silent",
  metricsToken: null,
  tracing: null,
  rateLimits: false,
  trustProxy: 0,
  catalogue: { asksOthers: false, privateHosts: [] },
});
process.send?.({ url });
