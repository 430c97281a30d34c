import { CodedError } from "../../errors.ts";
import { metrics } from "../../metrics.ts";

/** Counts how a bootstrap ends. */
export async function recordBootstrap<T>(work: () => Promise<T>): Promise<T> {
  const { bootstraps } = metrics();
  try {
    const result = await work();
    bootstraps.inc({ outcome: "ok" });
    return result;
  } catch (error) {
    bootstraps.inc({ outcome: error instanceof CodedError ? error.code : "internal" });
    throw error;
  }
}
