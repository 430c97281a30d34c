import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { log } from "../log.ts";
import { gatherWorkerMetrics, offerMetrics } from "../worker-metrics.ts";
import { endInOrder } from "./process-end.ts";

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;
/** A worker that lived this long counts as healthy, so its successor starts at once. */
const HEALTHY_MS = 60_000;

/** A worker's report that it is ready to serve. */
type Report = { servesAt: string };

const isReport = (message: unknown): message is Report =>
  typeof (message as Partial<Report> | null)?.servesAt === "string";

/**
 * Leads workers: processes of `script` that share a port and get the operating system's connections in turn.
 * A worker that dies is replaced. The leader ends with the status of the first worker that fails to start,
 * or, after SIGTERM or SIGINT, in order once every worker has ended.
 */
export async function leadWorkers(options: {
  count: number;
  script: string;
  host: string;
  port: number;
  /** Added to the workers' environment. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Called once, when all workers serve. */
  onServing: (url: string) => void;
  /** Ends the services that this process provides to its workers. */
  close: () => Promise<void>;
}): Promise<void> {
  const { count, script, environment, onServing, close } = options;
  // Workers that start after all others have died must not choose another port.
  const PORT = String(options.port || (await freePort(options.host)));
  const ending = new AbortController();
  const serving = new Set<Worker>();
  let hasServed = false;
  let failures = 0;
  cluster.setupPrimary({ exec: script });
  gatherWorkerMetrics();

  const begin = () => {
    const startedAtMs = performance.now();
    const worker = cluster.fork({ ...environment, PORT });
    worker.on("message", (message: unknown) => {
      if (!isReport(message)) return;
      serving.add(worker);
      if (hasServed || serving.size < count) return;
      hasServed = true;
      onServing(message.servesAt);
    });
    worker.once("exit", (code: number | null, signal: string | null) => {
      serving.delete(worker);
      if (ending.signal.aborted) return;
      if (!hasServed) return void fail(code ?? 1);
      failures = performance.now() - startedAtMs > HEALTHY_MS ? 0 : failures + 1;
      const pauseMs = failures === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
      log().error({ code, signal, pauseMs }, "a worker exited; another one replaces it");
      void wait(pauseMs, undefined, { signal: ending.signal }).then(begin, () => undefined);
    });
  };

  const endWorkers = async () => {
    ending.abort();
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    const ended = workers.map(async (worker) => {
      // A worker that is still starting has nothing to finish, and no handler for the signal.
      const mayDie = !serving.has(worker);
      const [code] = await once(worker, "exit");
      return mayDie || code === 0;
    });
    for (const worker of workers) worker.process.kill("SIGTERM");
    const areInOrder = await Promise.all(ended);
    await close();
    if (areInOrder.includes(false)) throw new Error("A worker did not exit cleanly");
  };

  /** Ends everything; the worker that failed has printed the reason. */
  const fail = (status: number) => {
    if (ending.signal.aborted) return;
    endWorkers().then(
      () => process.exit(status),
      () => process.exit(status),
    );
  };

  endInOrder(endWorkers);
  for (let started = 0; started < count; started++) begin();
}

async function freePort(host: string): Promise<number> {
  const probe = createServer().listen(0, host);
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

/** Returns whether this process is a worker; if so, lets its leader collect its metrics. */
export function joinLeader(): boolean {
  if (cluster.isWorker) offerMetrics();
  return cluster.isWorker;
}

/** Reports to the leader that this worker serves. */
export function reportServing(servesAt: string): void {
  process.send?.({ servesAt } satisfies Report);
}
