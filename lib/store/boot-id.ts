import { readFileSync } from "node:fs";

const MINUTE_MS = 60_000;

/** What is the same for all processes since the machine was started, and never again: the machine's clock counts from then. */
export function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    // No Linux: the minute of the start, as far as the date tells it.
    const startedMs = Date.now() - Number(process.hrtime.bigint()) / 1e6;
    return `minute ${Math.round(startedMs / MINUTE_MS)}`;
  }
}
