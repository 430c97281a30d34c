/** The measures of a process under load, after a garbage collection. */
export type Sample = {
  /** Bytes in use on the heap, and outside of it. */
  heap: number;
  /** Resident bytes of the process. */
  resident: number;
  descriptors: number;
  timers: number;
};

const code = `
import { readdirSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
process.on("SIGUSR2", () => {
  collect();
  collect();
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
  const timers = process.getActiveResourcesInfo().filter((name) => name === "Timeout" || name === "Immediate").length;
  const descriptors = readdirSync("/proc/self/fd").length;
  process.stderr.write("\\nsample " + JSON.stringify({ heap: heapUsed + arrayBuffers, resident: rss, descriptors, timers }) + "\\n");
});`;

/** Settings with which a process of the product reports a sample on standard error at each SIGUSR2. */
export const reportsOnSignal = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}`,
};

/** Returns the samples in such a process's output, oldest first. */
export function samplesIn(output: string): Sample[] {
  return [...output.matchAll(/^sample (\{.*\})$/gm)].map(([, json = ""]) => JSON.parse(json) as Sample);
}
