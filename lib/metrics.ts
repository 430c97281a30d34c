import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { processWide } from "./async/process-wide.ts";
import { Timings } from "./timings.ts";

/** Every series of this process. Labels are templates and codes, never ids, names or addresses. */
export type Metrics = {
  registry: Registry;
  httpSeconds: Timings<"method" | "route" | "status">;
  mattermostSeconds: Timings<"method" | "route" | "outcome">;
  bootstraps: Counter<"outcome">;
  socketsOpen: Gauge;
  upgrades: Counter<"outcome">;
  frames: Counter<"direction">;
  frameBytes: Counter<"direction">;
  socketCloses: Counter<"code">;
  paymentAnswers: Counter<"call" | "outcome">;
  paymentSeconds: Histogram<"call">;
  paymentEvents: Counter<"event">;
  chainFailovers: Counter<"call">;
};

/** Returns the process's metrics. */
export function metrics(): Metrics {
  return processWide("metrics", createMetrics);
}

const durations = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30];

function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    httpSeconds: new Timings({
      name: "hivegate_http_request_duration_seconds",
      help: "Time from the head of a request to the end of its answer",
      labelNames: ["method", "route", "status"],
      buckets: durations,
      registers,
    }),
    mattermostSeconds: new Timings({
      name: "hivegate_mattermost_request_duration_seconds",
      help: "Time of a call to Mattermost, by its route and by ok or the code of its failure",
      labelNames: ["method", "route", "outcome"],
      buckets: durations,
      registers,
    }),
    bootstraps: new Counter({
      name: "hivegate_bootstraps_total",
      help: "Bootstraps by outcome: ok, or the code of the refusal",
      labelNames: ["outcome"],
      registers,
    }),
    socketsOpen: new Gauge({
      name: "hivegate_websockets_open",
      help: "Client websockets that are open",
      registers,
    }),
    upgrades: new Counter({
      name: "hivegate_websocket_upgrades_total",
      help: "Upgrade requests by outcome: open, or the code of the refusal",
      labelNames: ["outcome"],
      registers,
    }),
    frames: new Counter({
      name: "hivegate_websocket_messages_total",
      help: "Messages passed on",
      labelNames: ["direction"],
      registers,
    }),
    frameBytes: new Counter({
      name: "hivegate_websocket_bytes_total",
      help: "Payload bytes passed on",
      labelNames: ["direction"],
      registers,
    }),
    socketCloses: new Counter({
      name: "hivegate_websocket_closes_total",
      help: "Closed client websockets by close code",
      labelNames: ["code"],
      registers,
    }),
    paymentAnswers: new Counter({
      name: "hivegate_payment_answers_total",
      help: "Answers of verify and settle by outcome: ok, or the reason why not",
      labelNames: ["call", "outcome"],
      registers,
    }),
    paymentSeconds: new Histogram({
      name: "hivegate_payment_duration_seconds",
      help: "Time that verify and settle took; settle waits for a block",
      labelNames: ["call"],
      buckets: [0.01, 0.03, 0.1, 0.3, 1, 2, 3, 4, 6, 8, 10],
      registers,
    }),
    paymentEvents: new Counter({
      name: "hivegate_payment_events_total",
      help: "What happened to payments: settled, failed, pending, recovered, resent, undone by a fork",
      labelNames: ["event"],
      registers,
    }),
    chainFailovers: new Counter({
      name: "hivegate_chain_failovers_total",
      help: "Calls that went to the next chain node because one gave no answer",
      labelNames: ["call"],
      registers,
    }),
  };
}
