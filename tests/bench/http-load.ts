import { spawn } from "node:child_process";
import { Pool } from "undici";
import { hasWrk, pin } from "./children.ts";

const token = "p".repeat(26);

/**
 * Requests `url` over `connections` for whole `seconds`; returns answers per second. @throws if nothing
 * could be measured
 */
export function loadHttp(url: string, connections: number, seconds: number): Promise<number> {
  return hasWrk ? runWrk(url, connections, seconds) : runOwn(url, connections, seconds);
}

async function runWrk(url: string, connections: number, seconds: number): Promise<number> {
  const args = ["-t1", `-c${connections}`, `-d${seconds}s`, "-H", `authorization: Bearer ${token}`, url];
  const child = spawn("wrk", args, { stdio: ["ignore", "pipe", "inherit"] });
  pin(child.pid ?? 0, 1);
  let output = "";
  for await (const chunk of child.stdout) output += chunk;
  const rate = /Requests\/sec:\s+([\d.]+)/.exec(output)?.[1];
  if (rate === undefined || /Non-2xx/.test(output))
    throw new Error(`wrk measured no rate of ${url}, or got errors:\n${output}`);
  return Number(rate);
}

async function runOwn(url: string, connections: number, seconds: number): Promise<number> {
  const { origin } = new URL(url);
  // Unchanged: a detour in it is intended.
  const path = url.slice(origin.length);
  const pool = new Pool(origin, { connections });
  const endsAtMs = performance.now() + seconds * 1000;
  let answers = 0;
  const ask = async () => {
    while (performance.now() < endsAtMs) {
      const headers = { authorization: `Bearer ${token}` };
      const { statusCode, body } = await pool.request({ method: "GET", path, headers });
      await body.dump();
      if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}`);
      answers++;
    }
  };
  await Promise.all(Array.from({ length: connections }, ask));
  await pool.close();
  return answers / seconds;
}
