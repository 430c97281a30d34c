import type { FlowStep } from "./flow-step.ts";

const PUBLIC = ["x-request-id", "retry-after", "content-type", "cache-control"];

/** The headers of an answer that an inspector shows; only those on the list, so nothing secret is among them. */
export function publicHeaders(headers: Headers): FlowStep["headers"] {
  return PUBLIC.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[`← ${name}`, value] as const];
  });
}
