import { z } from "zod";

const where = {
  /** A method, `api.*` or `*`. */
  method: z.string().default("*"),
  /** For how many calls; without it until the faults are cleared. */
  times: z.number().int().positive().optional(),
};

/** A way for a node to misbehave, for tests. */
export const Fault = z.discriminatedUnion("kind", [
  /** Answers later. */
  z.object({ ...where, kind: z.literal("delay"), delayMs: z.number().int().nonnegative() }),
  /** Cuts the connection instead of looking at the call. */
  z.object({ ...where, kind: z.literal("cut") }),
  /** Never answers and never looks at the call. */
  z.object({ ...where, kind: z.literal("hang") }),
  /** Answers with this status and body instead of looking at the call. */
  z.object({
    ...where,
    kind: z.literal("answer"),
    status: z.number().int().min(200).max(599),
    body: z.string().default("<html><body>Service unavailable</body></html>"),
  }),
  /** Answers with this JSON-RPC error instead of looking at the call. */
  z.object({
    ...where,
    kind: z.literal("refuse"),
    error: z.object({ code: z.number().int(), message: z.string(), data: z.unknown().optional() }),
  }),
  /** Does what was asked, and then the answer is lost. */
  z.object({ ...where, kind: z.literal("lose_answer"), by: z.enum(["cut", "hang"]) }),
  /** Answers with this result instead of looking at the call. */
  z.object({ ...where, kind: z.literal("lie"), result: z.unknown() }),
  /** Shows the head of so many seconds ago. */
  z.object({ ...where, kind: z.literal("stale"), seconds: z.number().int().positive() }),
]);
export type Fault = z.output<typeof Fault>;

/** The faults of one node. */
export type Faults = {
  set(fault: Fault): void;
  clear(): void;
  /** The faults that strike this call; it counts for each of them. */
  strike(method: string): Fault[];
};

export function createFaults(initial: readonly Fault[]): Faults {
  let active: Fault[] = [...initial];
  return {
    set: (fault) => {
      active.push(fault);
    },
    clear: () => {
      active = [];
    },
    strike(method) {
      const striking = active.filter((fault) => matches(fault.method, method));
      active = active.flatMap((fault) => {
        if (fault.times === undefined || !striking.includes(fault)) return [fault];
        return fault.times > 1 ? [{ ...fault, times: fault.times - 1 }] : [];
      });
      return striking;
    },
  };
}

function matches(pattern: string, method: string): boolean {
  return (
    pattern === "*" ||
    pattern === method ||
    (pattern.endsWith(".*") && method.startsWith(pattern.slice(0, -1)))
  );
}
