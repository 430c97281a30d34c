import type { IncomingHttpHeaders } from "node:http";
import type { OtlpSpan } from "../../lib/tracing.ts";
import { serveNode } from "./serve-web.ts";

export type Collector = {
  url: string;
  /** Headers and bodies of all requests, including refused ones. */
  received: Array<{ headers: IncomingHttpHeaders; body: string }>;
  /** The accepted spans. */
  spans: Array<OtlpSpan & { facts: Record<string, string> }>;
  /** The status of the collector's answers from now on. */
  answer: number | "hang";
  close(): Promise<void>;
};

/** Starts a collector of OpenTelemetry traces (OTLP over HTTP, JSON) on a free port. */
export async function startCollector(): Promise<Collector> {
  const server = await serveNode(async (incoming, outgoing) => {
    const body = (await incoming.setEncoding("utf8").toArray()).join("");
    collector.received.push({ headers: incoming.headers, body });
    if (collector.answer === "hang") return;
    const isKnown = incoming.method === "POST" && incoming.url === "/v1/traces";
    outgoing.writeHead(isKnown ? collector.answer : 404, { "content-type": "application/json" }).end("{}");
    if (!isKnown || collector.answer !== 200) return;
    for (const { scopeSpans } of JSON.parse(body).resourceSpans)
      for (const { spans } of scopeSpans)
        for (const span of spans as OtlpSpan[]) collector.spans.push({ ...span, facts: factsOf(span) });
  });
  const collector: Collector = { url: server.url, received: [], spans: [], answer: 200, close: server.close };
  return collector;
}

const factsOf = ({ attributes }: OtlpSpan) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, "intValue" in value ? value.intValue : value.stringValue]),
  );
