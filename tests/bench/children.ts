import { type ChildProcess, fork, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../harness/free-port.ts";

/** A process under measurement. */
export type Subject = { name: string; url: string; pid: number; stop(): void };

const has = (command: string) => spawnSync("which", [command], { stdio: "ignore" }).status === 0;
const canPin = has("taskset");
export const hasWrk = has("wrk");

/** Proxies run on the first core, backend and load on the second: neither takes time from the other. */
export function pin(pid: number, core: 0 | 1): void {
  if (canPin) spawnSync("taskset", ["-acp", String(core), String(pid)], { stdio: "ignore" });
}

const stopper = (child: ChildProcess) => () => void child.kill("SIGTERM");

/** Forks a TypeScript file of this folder, which sends its address when it serves. */
export async function startScript(name: string, file: string, args: string[], core: 0 | 1): Promise<Subject> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = fork(path, args, { execArgv: ["--import", "tsx"] });
  const [{ url }] = (await once(child, "message")) as [{ url: string }];
  const pid = child.pid ?? 0;
  pin(pid, core);
  return { name, url, pid, stop: stopper(child) };
}

/** Starts the built gateway in front of `backendUrl`. */
export async function startBuiltGateway(backendUrl: string): Promise<Subject> {
  if (!existsSync("dist/server.js") || !existsSync(".next/BUILD_ID"))
    throw new Error("Build first: npm run build");
  const port = await freePort();
  const child = spawn(process.execPath, ["dist/server.js"], {
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      ...process.env,
      NODE_ENV: "production",
      CHAT_BASE_URL: `${backendUrl}/api/v4`,
      CHAT_ADMIN_TOKEN: "a".repeat(26),
      CHAT_TEAM_ID: "t".repeat(26),
      HIVE_NODES: backendUrl,
      SESSION_SECRET: "s".repeat(32),
      DATA_DIR: mkdtempSync(join(tmpdir(), "hivegate-bench-")),
      RATE_LIMITS: "off",
      LOG_LEVEL: "warn",
      HOST: "127.0.0.1",
      PORT: String(port),
    },
  });
  const url = `http://127.0.0.1:${port}`;
  await untilServing(`${url}/api/health/live`);
  const pid = child.pid ?? 0;
  pin(pid, 0);
  return { name: "hivegate", url, pid, stop: stopper(child) };
}

/** Starts one nginx worker in front of `backendUrl`; null if nginx is not installed. */
export async function startNginx(backendUrl: string): Promise<Subject | null> {
  if (!has("nginx")) return null;
  const folder = mkdtempSync(join(tmpdir(), "hivegate-nginx-"));
  const port = await freePort();
  const { host } = new URL(backendUrl);
  writeFileSync(
    join(folder, "nginx.conf"),
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log /dev/null;
events { worker_connections 8192; }
http {
  access_log off; client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f;
  uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s; keepalive_requests 100000000;
  upstream backend { server ${host}; keepalive 64; keepalive_requests 100000000; }
  map $http_upgrade $connection_value { default upgrade; '' ''; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://backend; proxy_http_version 1.1; proxy_read_timeout 300s;
      proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $connection_value;
    }
  }
}
`,
  );
  const child = spawn("nginx", ["-c", join(folder, "nginx.conf"), "-p", folder], { stdio: "ignore" });
  const url = `http://127.0.0.1:${port}`;
  await untilServing(`${url}/api/v4/system/ping`);
  const pid = workerOf(child.pid ?? 0);
  pin(pid, 0);
  return { name: "nginx", url, pid, stop: stopper(child) };
}

function workerOf(master: number): number {
  const worker = readdirSync("/proc").find((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/stat`, "utf8").split(") ")[1]?.split(" ")[1] === String(master);
    } catch {
      return false;
    }
  });
  return Number(worker ?? master);
}

async function untilServing(url: string): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const isServing = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (isServing) return;
    if (Date.now() > deadline) throw new Error(`${url} did not start`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const TICK_MS = 10;

/** Processor time that the process has used so far, in milliseconds (Linux). */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Resident memory of the process in MB. */
export function memoryMb(pid: number): number {
  const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Math.round(Number(match?.[1] ?? 0) / 1024);
}
