import { readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";

const MOST_BYTES = 4 * 1024 * 1024;

/** The median, minimum and maximum of several measurements. */
const Spread = z.object({ median: z.number(), min: z.number(), max: z.number() });

const Row = z.object({
  what: z.string(),
  subject: z.string(),
  /** Answers, frames or websockets per second. */
  perSecond: Spread,
  /** The server's processor time for each of them. */
  cpuUs: Spread,
  p50Ms: Spread.optional(),
  p99Ms: Spread.optional(),
  refusedPercent: Spread.optional(),
  /** Multiples of the base's values in the same round. */
  ratios: z.object({ perSecond: Spread, cpuUs: Spread, p99Ms: Spread.optional() }),
});
export type Row = z.infer<typeof Row>;

/** The circumstances of a run, without which its numbers mean nothing. */
const Run = z.object({
  date: z.iso.datetime(),
  version: z.string(),
  /** The commit, with `-dirty` after it if files differed from it; null outside of a repository. */
  commit: z.string().nullable(),
  rounds: z.number(),
  seconds: z.number(),
  machine: z.object({ cores: z.number(), cpu: z.string(), node: z.string() }),
  tools: z.object({ load: z.string(), backend: z.string(), isPinned: z.boolean() }),
});
export type Run = z.infer<typeof Run>;

const Results = z.object({
  run: Run,
  /** The share of the machine that other processes used, at most, from 0 to 1. */
  load: z.object({ isQuiet: z.boolean(), busiest: z.number(), verdict: z.string() }),
  rows: z.array(Row),
  idle: z
    .array(z.object({ subject: z.string(), kbPerConnection: z.number(), percentOfCore: z.number() }))
    .optional(),
  slowReaders: z
    .array(
      z.object({
        subject: z.string(),
        kbPerSilent: z.number(),
        /** Null if it had not cut all of them when the measurement ended. */
        cutAfterSeconds: z.number().nullable(),
      }),
    )
    .optional(),
  served: z
    .object({ payments: z.number(), p50Ms: z.number(), p95Ms: z.number(), maxMs: z.number() })
    .optional(),
  duePayments: z.object({ keys: z.number(), medianMs: z.number(), redisCpuMs: z.number() }).optional(),
});
/** The results of a run of the bench, as its file holds them. */
export type Results = z.infer<typeof Results>;

/** Reads a file of results. @throws TypeError, naming the file, if it holds none */
export function readResults(path: string): Results {
  const parsed = Results.safeParse(readJson(path));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new TypeError(`${path} holds no results of the bench: ${issue?.path.join(".")}: ${issue?.message}`);
}

export function writeResults(path: string, results: Results): void {
  writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`);
}

function readJson(path: string): unknown {
  const text = readFileSync(path, "utf8");
  if (text.length > MOST_BYTES) throw new TypeError(`${path} holds no results of the bench: it is too long`);
  try {
    return JSON.parse(text);
  } catch {
    throw new TypeError(`${path} holds no results of the bench: it is not JSON`);
  }
}
