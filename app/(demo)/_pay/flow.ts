import { type FlowStep, publicHeaders } from "../_wire/flow-step.ts";

export type PayStep = "ask" | "sign" | "settle" | "pending";

type Watch = { onFlow(step: FlowStep): void; onStep(step: PayStep): void };

const CODED = ["x-payment", "x-payment-response"];

/** Creates a `fetch` that reports what it sends and receives, and how long that took. */
export function createWatchedFetch({ onFlow, onStep }: Watch, fetcher: typeof fetch = fetch): typeof fetch {
  return async (input, init = {}) => {
    const sent = new Headers(init.headers).get("x-payment");
    onStep(sent === null ? "ask" : "settle");
    const startedAt = performance.now();
    const told = { kind: "http" as const, method: init.method ?? "GET", url: String(input) };
    const request: FlowStep["headers"] = sent === null ? [] : [["→ x-payment", withoutHolder(sent)]];
    try {
      const response = await fetcher(input, init);
      onFlow({
        ...told,
        status: response.status,
        ms: performance.now() - startedAt,
        headers: [...request, ...shownHeaders(response.headers)],
      });
      if (response.status === 503 && sent !== null) onStep("pending");
      return response;
    } catch (error) {
      onFlow({ ...told, status: null, ms: performance.now() - startedAt, headers: request });
      throw error;
    }
  };
}

/** Returns the public part of a payment, without its holder's secret, which stays in the header. */
function withoutHolder(header: string): unknown {
  const payment = decodeHeader<{ payload?: { holder?: string } }>(header);
  if (payment?.payload?.holder === undefined) return payment ?? "…";
  return { ...payment, payload: { ...payment.payload, holder: "…" } };
}

function shownHeaders(headers: Headers): FlowStep["headers"] {
  const coded = CODED.flatMap((name) => {
    const text = headers.get(name);
    return text === null ? [] : [[`← ${name}`, decodeHeader(text) ?? text] as const];
  });
  return [...publicHeaders(headers), ...coded];
}

/** Parses the JSON in a base64 header, or returns null for anything else. */
export function decodeHeader<T = unknown>(text: string | null): T | null {
  if (text === null) return null;
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes)) as T;
  } catch {
    return null;
  }
}
