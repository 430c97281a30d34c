import { request } from "undici";
import type { Secret } from "./secret.ts";

const BATCH = 512;
const MOST_WAITING = 2048;
const EVERY_MS = 5000;
const DEADLINE_MS = 10_000;
const FLUSH_MS = 3000;
/** By the protocol: the same may be taken later. */
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

export type SpanExporter = {
  /** Takes a span for the next batch; one too many is lost. */
  add(span: OtlpSpan): void;
  /** Sends what waits, for three seconds at most; never rejects. */
  flush(): Promise<void>;
};

/** Attributes in the protocol's form. */
export function otlpAttributes(values: Readonly<Record<string, string | number>>): Attribute[] {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value },
  }));
}

/**
 * Sends spans to an OpenTelemetry collector (OTLP over HTTP as JSON) in batches, one after another. A collector that is
 * away holds nothing up: 2,048 spans wait for it, and the rest are lost. `onTrouble` hears when sending begins to fail,
 * and with null when it works again, each time with how many spans were lost.
 */
export function createSpanExporter(options: {
  /** Without `/v1/traces`. */
  endpoint: string;
  /** As `name=value,name=value`, with escapes as in addresses. */
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
