/** One HTTP step, or one signature, as the inspectors show it. It never contains a key. */
export type FlowStep = {
  kind: "http" | "sign";
  method: string;
  url: string;
  /** Status of the answer, or null if there was none. */
  status: number | null;
  ms: number;
  headers: ReadonlyArray<readonly [name: string, value: unknown]>;
};

const PUBLIC = ["x-request-id", "retry-after", "content-type", "cache-control"];

/**
 * Returns the headers of an answer that an inspector shows. Only listed headers are included, none of which
 * is secret.
 */
export function publicHeaders(headers: Headers): FlowStep["headers"] {
  return PUBLIC.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[`← ${name}`, value] as const];
  });
}
