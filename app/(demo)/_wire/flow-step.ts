/** One HTTP step, or one signature, as the inspectors show it. It never holds a key. */
export type FlowStep = {
  kind: "http" | "sign";
  method: string;
  url: string;
  /** Null when there was no answer. */
  status: number | null;
  ms: number;
  headers: ReadonlyArray<readonly [name: string, value: unknown]>;
};
