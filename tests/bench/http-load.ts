import { spawn } from "node:child_process";
import { Pool } from "undici";
import { hasWrk, pin } from "./children.ts";

/** A request that is repeated unchanged. */
export type LoadRequest = {
  url: string;
  method: "GET" | "POST";
  headers: Readonly<Record<string, string>>;
  body: string;
};

/** Answers per second, and the median and 99th percentile of their times in ms. */
export type Load = { perSecond: number; p50Ms: number; p99Ms: number };

/** Thrown if a load ended before the first answer, as on a machine that is busy with other work. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

/** The most by which a measurement is prolonged until an answer arrives. */
const MOST_TIMES_LONGER = 16;

/**
 * Measures for `seconds`, and again for twice as long whenever no answer arrived in time.
 * @throws NoAnswer if none arrives in 16 times the seconds either
 */
export async function untilAnswered<T>(
  seconds: number,
  measure: (seconds: number) => Promise<T>,
): Promise<T> {
  for (let times = 1; ; times *= 2) {
    try {
      return await measure(seconds * times);
    } catch (error) {
      if (!(error instanceof NoAnswer) || times === MOST_TIMES_LONGER) throw error;
    }
  }
}

/** Sends a request over `connections` for `seconds`, a whole number. @throws NoAnswer; Error if an answer is not a success */
export function loadHttp(asked: LoadRequest, connections: number, seconds: number): Promise<Load> {
  // wrk reads bodies only from a script.
  return hasWrk && asked.method === "GET"
    ? runWrk(asked, connections, seconds)
    : runOwn(asked, connections, seconds);
}

const msOf: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, m: 60_000 };

/** Parses a time printed by wrk, such as `1.25ms`. */
export function readWrkTime(text: string): number {
  const [, number, unit = ""] = /^([\d.]+)(us|ms|s|m)$/.exec(text) ?? [];
  return Number(number) * (msOf[unit] ?? Number.NaN);
}

async function runWrk({ url, headers }: LoadRequest, connections: number, seconds: number): Promise<Load> {
  const sent = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const args = ["-t1", `-c${connections}`, `-d${seconds}s`, "--latency", ...sent, url];
  const child = spawn("wrk", args, { stdio: ["ignore", "pipe", "inherit"] });
  pin(child.pid ?? 0, 1);
  let output = "";
  for await (const chunk of child.stdout) output += chunk;
  return readWrkReport(output, url);
}

/**
 * Parses the report of wrk on an address.
 * @throws NoAnswer; Error if a number is missing, a connection broke or an answer was not a success
 */
export function readWrkReport(report: string, url: string): Load {
  const timeOf = (percent: number) =>
    readWrkTime(new RegExp(`^\\s+${percent}%\\s+(\\S+)`, "m").exec(report)?.[1] ?? "");
  const perSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(report)?.[1]);
  const load = { perSecond, p50Ms: timeOf(50), p99Ms: timeOf(99) };
  const hasErrors = /Non-2xx|Socket errors: (?!connect 0, read 0, write 0,)/.test(report);
  if (perSecond === 0 && !hasErrors) throw new NoAnswer(`${url} sent no answer in time:\n${report}`);
  if (hasErrors || !Object.values(load).every(Number.isFinite))
    throw new Error(`wrk measured no rate or times of ${url}, or got errors:\n${report}`);
  return load;
}

async function runOwn(asked: LoadRequest, connections: number, seconds: number): Promise<Load> {
  const { url, method, headers, body } = asked;
  const { origin } = new URL(url);
  // The path is taken literally, because `..` in it is intended.
  const path = url.slice(origin.length);
  const pool = new Pool(origin, { connections });
  const endsAtMs = performance.now() + seconds * 1000;
  const times: number[] = [];
  const ask = async () => {
    while (performance.now() < endsAtMs) {
      const startedAtMs = performance.now();
      const answer = await pool.request({ method, path, headers, ...(body !== "" && { body }) });
      // Otherwise undici reads no more than 128 KB, and cuts the connection.
      await answer.body.dump({ limit: Number.MAX_SAFE_INTEGER });
      if (answer.statusCode >= 300) throw new Error(`${url} answered ${answer.statusCode}`);
      times.push(performance.now() - startedAtMs);
    }
  };
  await Promise.all(Array.from({ length: connections }, ask));
  await pool.close();
  if (times.length === 0) throw new NoAnswer(`${url} was not measured: no request was sent in time`);
  times.sort((one, other) => one - other);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { perSecond: times.length / seconds, p50Ms: at(0.5), p99Ms: at(0.99) };
}
