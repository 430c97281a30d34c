import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";
import { request } from "undici";
import { processWide } from "./async/process-wide.ts";
import type { TracingSettings } from "./config.ts";
import { log } from "./log.ts";
import type { Secret } from "./secret.ts";

/** The description of a served request. Names are templates and codes, never paths, queries, names or tokens. */
export type ServedRequest = { method: string; route: string; status: number; requestId: string | undefined };

/** The caller's trace context, and whether it is trusted. */
export type TracedCaller = { traceparent: string | undefined; isBelieved: boolean };

/** A call made for a request; `traceparent` is sent to the called server. */
export type TracedCall = { traceparent: string; end(outcome: string): void };

export type Tracing = {
  /**
   * Serves a request under its own span. A trusted caller's `traceparent` is continued; any other is only
   * linked, so that callers decide neither the trace nor whether there is one.
   */
  serve(caller: TracedCaller, work: () => Promise<ServedRequest>): Promise<void>;
  /** Sends all unsent spans. */
  flush(): Promise<void>;
};

type Parent = { traceId: string; spanId: string; isSampled: boolean };
type Request = Parent & { startedAtMs: number; unixMs: number; isOver: boolean; exporter: SpanExporter };

/** The current request, of any gateway in the process. */
const current = processWide("request-under-way", () => new AsyncLocalStorage<Request>());

const SERVER = 2;
const CLIENT = 3;

/** Creates the tracing of one gateway, which sends its spans to the collector in `settings`. */
export function createTracing(settings: TracingSettings): Tracing {
  const exporter = createSpanExporter({ ...settings, onTrouble: tellTrouble });
  return {
    async serve({ traceparent, isBelieved }, work) {
      const caller = readTraceparent(traceparent);
      const parent = isBelieved ? caller : null;
      const request: Request = {
        traceId: parent?.traceId ?? drawId(16),
        spanId: drawId(8),
        isSampled: parent?.isSampled ?? Math.random() < settings.ratio,
        startedAtMs: performance.now(),
        unixMs: Date.now(),
        isOver: false,
        exporter,
      };
      const { method, route, status, requestId } = await current.run(request, work);
      request.isOver = true;
      if (!request.isSampled) return;
      exporter.add({
        traceId: request.traceId,
        spanId: request.spanId,
        ...(parent && { parentSpanId: parent.spanId }),
        ...(caller && !parent && { links: [{ traceId: caller.traceId, spanId: caller.spanId }] }),
        name: `${method} ${route}`,
        kind: SERVER,
        ...timesOf(request, request.startedAtMs),
        attributes: otlpAttributes({
          "http.request.method": method,
          "http.route": route,
          "http.response.status_code": status,
          ...(requestId !== undefined && { "hivegate.request_id": requestId }),
        }),
        status: statusOf(status >= 500),
      });
    },
    flush: exporter.flush,
  };
}

/**
 * Begins the span of a call made by the current request; null if there is none, if it was answered, or if nothing is
 * traced.
 */
export function traceCall(name: string, attributes: Readonly<Record<string, string>>): TracedCall | null {
  const request = current.getStore();
  if (!request || request.isOver) return null;
  const { traceId, isSampled, exporter } = request;
  const spanId = drawId(8);
  const startedAtMs = performance.now();
  let hasEnded = false;
  return {
    traceparent: `00-${traceId}-${spanId}-0${isSampled ? 1 : 0}`,
    end(outcome) {
      if (!isSampled || hasEnded) return;
      hasEnded = true;
      exporter.add({
        traceId,
        spanId,
        parentSpanId: request.spanId,
        name,
        kind: CLIENT,
        ...timesOf(request, startedAtMs),
        attributes: otlpAttributes({ ...attributes, "hivegate.outcome": outcome }),
        status: statusOf(outcome !== "ok"),
      });
    },
  };
}

/**
 * Reads one monotonic clock within a request, so that the spans of its calls lie within its own even if the
 * machine's clock is set.
 */
const timesOf = ({ startedAtMs, unixMs }: Request, fromMs: number) => ({
  startTimeUnixNano: nanos(unixMs + fromMs - startedAtMs),
  endTimeUnixNano: nanos(unixMs + performance.now() - startedAtMs),
});

const statusOf = (isError: boolean): OtlpSpan["status"] => ({ code: isError ? 2 : 0 });

const drawId = (bytes: number) => randomBytes(bytes).toString("hex");

const nanos = (ms: number) => String(BigInt(Math.round(ms * 1000)) * 1000n);

const shape = /^(?!ff)[\da-f]{2}-((?!0{32})[\da-f]{32})-((?!0{16})[\da-f]{16})-([\da-f]{2})(?:-.*)?$/;

/** Reads a caller's trace context (W3C Trace Context); null if missing or invalid. */
function readTraceparent(text: string | undefined): Parent | null {
  const [, traceId, spanId, flags] = shape.exec(text ?? "") ?? [];
  if (!traceId || !spanId || !flags) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

function tellTrouble(trouble: string | null, lost: number): void {
  if (trouble === null) log().info({ lost }, "the trace collector accepts traces again");
  else
    log().warn(
      { fault: trouble },
      "traces cannot be sent: start the collector, or correct OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS",
    );
}

const BATCH = 512;
const MOST_WAITING = 2048;
const EVERY_MS = 5000;
const DEADLINE_MS = 10_000;
const FLUSH_MS = 3000;
/** Statuses after which the protocol allows a retry. */
const later = new Set([429, 502, 503, 504]);

type Attribute = { key: string; value: { stringValue: string } | { intValue: string } };

/** A span in the JSON form of OTLP 1. */
export type OtlpSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: 2 | 3;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
  status: { code: 0 | 2 };
  links?: Array<{ traceId: string; spanId: string }>;
};

type SpanExporter = {
  /** Queues a span for the next batch; drops it if the queue is full. */
  add(span: OtlpSpan): void;
  /** Sends the queue, within three seconds. Never rejects. */
  flush(): Promise<void>;
};

/** Converts attributes to the protocol's format. */
function otlpAttributes(values: Readonly<Record<string, string | number>>): Attribute[] {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value },
  }));
}

/**
 * Sends spans to an OpenTelemetry collector (OTLP over HTTP as JSON) in batches, one after another. An unreachable
 * collector delays nothing: 2,048 spans wait for it, and the rest are lost. `onTrouble` is called when sending starts
 * to fail, and with null when it works again, each time with the number of lost spans.
 */
export function createSpanExporter(options: {
  /** The collector's address without `/v1/traces`. */
  endpoint: string;
  /** Headers of requests to the collector, as `name=value,name=value`, percent-encoded. */
  headers: Secret | null;
  serviceName: string;
  onTrouble: (trouble: string | null, lost: number) => void;
}): SpanExporter {
  const url = `${options.endpoint}/v1/traces`;
  const resource = { attributes: otlpAttributes({ "service.name": options.serviceName }) };
  const headers = { ...readHeaders(options.headers), "content-type": "application/json" };
  const waiting: OtlpSpan[] = [];
  let lost = 0;
  let trouble: string | null = null;
  let sending: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;

  const send = async (spans: OtlpSpan[]): Promise<{ isTaken: boolean; fault: string | null }> => {
    const body = JSON.stringify({
      resourceSpans: [{ resource, scopeSpans: [{ scope: { name: "hivegate" }, spans }] }],
    });
    try {
      const signal = AbortSignal.timeout(DEADLINE_MS);
      const answer = await request(url, { method: "POST", headers, body, signal });
      await answer.body.dump();
      const { statusCode: status } = answer;
      return status < 300
        ? { isTaken: true, fault: null }
        : { isTaken: !later.has(status), fault: `status ${status}` };
    } catch (error) {
      const { name, code } = error as { name?: string; code?: string };
      return { isTaken: false, fault: code ?? name ?? "no answer" };
    }
  };

  const sendWaiting = async (least: number) => {
    while (waiting.length >= least) {
      const spans = waiting.slice(0, BATCH);
      const { isTaken, fault } = await send(spans);
      if (isTaken) waiting.splice(0, spans.length);
      if (isTaken && fault !== null) lost += spans.length;
      if ((fault === null) !== (trouble === null)) {
        options.onTrouble(fault, lost);
        lost = 0;
      }
      trouble = fault;
      if (!isTaken) return;
    }
  };

  const begin = (least: number): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    sending ??= sendWaiting(least).finally(() => {
      sending = null;
      if (waiting.length > 0) schedule();
    });
    return sending;
  };
  const schedule = () => {
    timer ??= setTimeout(() => void begin(1), EVERY_MS).unref();
  };

  return {
    add(span) {
      if (waiting.length >= MOST_WAITING) {
        lost += 1;
        return;
      }
      waiting.push(span);
      if (waiting.length >= BATCH && trouble === null) void begin(BATCH);
      else schedule();
    },
    async flush() {
      let late: NodeJS.Timeout | undefined;
      const over = new Promise<void>((resolve) => {
        late = setTimeout(resolve, FLUSH_MS);
      });
      const all = async () => {
        await sending;
        if (waiting.length > 0) await begin(1);
      };
      await Promise.race([all(), over]);
      clearTimeout(late);
    },
  };
}

function readHeaders(headers: Secret | null): Record<string, string> {
  const pairs = headers?.reveal().split(",") ?? [];
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      return [pair.slice(0, at).trim().toLowerCase(), decodeURIComponent(pair.slice(at + 1).trim())];
    }),
  );
}
