import cluster from "node:cluster";
import { randomUUID } from "node:crypto";
import { AggregatorRegistry } from "prom-client";
import { answerWithin } from "./async/time-limits.ts";
import { CodedError } from "./errors.ts";
import { metrics } from "./metrics.ts";

/** Longer than the library waits for a worker. */
const DEADLINE_MS = 6000;

/** A worker's request for the metrics of all workers. */
type Question = { metricsWanted: string };
/** The leader's answer, which has no text if a worker did not answer. */
type Answer = { metricsOf: string; text?: string };

const isQuestion = (message: unknown): message is Question =>
  typeof (message as Partial<Question> | null)?.metricsWanted === "string";

/**
 * Lets workers ask this process for the metrics of all workers, in which counters and gauges are added up.
 */
export function gatherWorkerMetrics(): void {
  const all = new AggregatorRegistry();
  cluster.on("message", async (worker, message: unknown) => {
    if (!isQuestion(message)) return;
    const metricsOf = message.metricsWanted;
    const answer = await all.clusterMetrics().then(
      (text): Answer => ({ metricsOf, text }),
      (): Answer => ({ metricsOf }),
    );
    // A worker that has died meanwhile needs no answer.
    if (worker.isConnected()) worker.send(answer, () => undefined);
  });
}

/** Lets the leader collect the metrics of this worker. */
export function offerMetrics(): void {
  AggregatorRegistry.setRegistries([metrics().registry]);
  new AggregatorRegistry();
}

/**
 * Returns the metrics in Prometheus's text format: those of all workers if this process is a worker, or else
 * its own.
 * @throws CodedError `degraded` if a worker does not answer
 */
export async function readMetrics(): Promise<string> {
  if (!cluster.isWorker) return metrics().registry.metrics();
  const metricsWanted = randomUUID();
  let hear: (message: Answer) => void = () => undefined;
  const answered = new Promise<Answer>((resolve) => {
    hear = (message) => {
      if (message.metricsOf === metricsWanted) resolve(message);
    };
    process.on("message", hear);
  });
  try {
    process.send?.({ metricsWanted } satisfies Question);
    const { text } = await answerWithin(DEADLINE_MS, () => answered);
    if (text !== undefined) return text;
    throw new Error("A worker did not answer");
  } catch (cause) {
    throw new CodedError("degraded", { cause });
  } finally {
    process.off("message", hear);
  }
}
