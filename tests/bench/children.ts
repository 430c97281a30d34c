import { type ChildProcess, fork, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../harness/free-port.ts";
import { compileScript } from "./compile-script.ts";

/** A process being measured. */
export type Subject = { name: string; url: string; pid: number; stop(): void };

/** The environment of a server. */
export type Settings = Readonly<Record<string, string>>;

const has = (command: string) => spawnSync("which", [command], { stdio: "ignore" }).status === 0;
export const canPin = has("taskset");
export const hasWrk = has("wrk");
export const hasNginx = has("nginx");

/**
 * Pins a process to a core: proxies run on the first, backend and load on the second, so that neither takes
 * time from the other.
 */
export function pin(pid: number, core: 0 | 1): void {
  if (canPin) spawnSync("taskset", ["-acp", String(core), String(pid)], { stdio: "ignore" });
}

const stopper = (child: ChildProcess) => () => void child.kill("SIGTERM");

/** Forks a TypeScript file of this folder, which sends its address once it serves. */
export async function startScript(name: string, file: string, args: string[], core: 0 | 1): Promise<Subject> {
  const child = fork(compileScript(file), args, { execArgv: [] });
  const [{ url }] = (await once(child, "message")) as [{ url: string }];
  const pid = child.pid ?? 0;
  pin(pid, core);
  return { name, url, pid, stop: stopper(child) };
}

const secrets = {
  CHAT_ADMIN_TOKEN: "a".repeat(26),
  CHAT_TEAM_ID: "t".repeat(26),
  SESSION_SECRET: "s".repeat(32),
  CHAT_APP_IDS: "hivegate",
};

/**
 * Settings of a gateway in production: it logs every request, counts quotas and metrics, and checks answers.
 */
const gatewaySettings = (port: number, settings: Settings) => ({
  ...process.env,
  NODE_ENV: "production" as const,
  ...secrets,
  DATA_DIR: mkdtempSync(join(tmpdir(), "hivegate-bench-")),
  LOG_LEVEL: "info",
  HOST: "127.0.0.1",
  PORT: String(port),
  ...settings,
});

const LIVE = "/api/health/live";

type Gateway = Subject & {
  /** Stops the gateway and waits for its end. */
  end(): Promise<void>;
};

async function startBuilt(
  name: string,
  { args, ready, settings }: { args: readonly string[]; ready: string; settings: Settings },
): Promise<Gateway> {
  if (!existsSync("dist/server.js") || !existsSync(".next/BUILD_ID"))
    throw new Error("Build first: npm run build");
  const port = await freePort();
  const child = spawn(process.execPath, [...args.map((arg) => arg.replace("PORT", String(port)))], {
    stdio: ["ignore", "ignore", "inherit"],
    env: gatewaySettings(port, settings),
  });
  const ended = once(child, "exit");
  const url = `http://127.0.0.1:${port}`;
  await untilServing(url + ready);
  const pid = child.pid ?? 0;
  pin(pid, 0);
  const stop = stopper(child);
  return {
    ...{ name, url, pid, stop },
    async end() {
      stop();
      await ended;
    },
  };
}

/** Starts the built gateway as `npm start` does. */
export const startBuiltGateway = (name: string, settings: Settings): Promise<Gateway> =>
  startBuilt(name, { args: ["dist/server.js"], ready: LIVE, settings });

/** Starts the built facilitator as `npm run facilitator` does. */
export const startBuiltFacilitator = (name: string, settings: Settings): Promise<Gateway> =>
  startBuilt(name, { args: ["dist/facilitator.js"], ready: "/supported", settings });

/** Starts the same build without `server.ts`: Next itself listens and calls the routes. */
export const startUnderNext = (name: string, settings: Settings): Promise<Gateway> =>
  startBuilt(name, {
    args: ["node_modules/next/dist/bin/next", "start", "--hostname", "127.0.0.1", "--port", "PORT"],
    ready: LIVE,
    settings,
  });

const nginxPaths = (folder: string) => `access_log off; client_body_temp_path ${folder}/b;
  proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  keepalive_requests 100000000; keepalive_timeout 300s;`;

/** Starts one nginx worker with these directives of its `http` block. */
async function startNginxWorker(
  name: string,
  {
    core,
    folder,
    http,
    ready,
  }: { core: 0 | 1; folder: string; http: (port: number) => string; ready: string },
): Promise<Subject> {
  const port = await freePort();
  writeFileSync(
    join(folder, "nginx.conf"),
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log /dev/null;
events { worker_connections 16384; }
http {
  ${nginxPaths(folder)}
  ${http(port)}
}
`,
  );
  const child = spawn("nginx", ["-c", join(folder, "nginx.conf"), "-p", folder], { stdio: "ignore" });
  const url = `http://127.0.0.1:${port}`;
  await untilServing(url + ready);
  const pid = workerOf(child.pid ?? 0);
  pin(pid, core);
  return { name, url, pid, stop: stopper(child) };
}

/**
 * Starts nginx as a proxy in front of `backendUrl`, or returns null if it is not installed. It streams large answers,
 * because its worker could not write them to a folder of root's.
 */
export async function startNginx(backendUrl: string): Promise<Subject | null> {
  if (!hasNginx) return null;
  const { host } = new URL(backendUrl);
  return startNginxWorker("nginx", {
    core: 0,
    folder: mkdtempSync(join(tmpdir(), "hivegate-nginx-")),
    ready: PING,
    http: (port) => `
  upstream backend { server ${host}; keepalive 64; keepalive_requests 100000000; }
  map $http_upgrade $connection_value { default upgrade; '' ''; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://backend; proxy_http_version 1.1; proxy_read_timeout 300s; proxy_max_temp_file_size 0;
      proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $connection_value;
    }
  }`,
  });
}

const PING = "/api/v4/system/ping";

/**
 * Starts a backend with constant answers (by method and target) on the load's core: nginx, which is never the
 * bottleneck, or a Node server if nginx is not installed.
 */
export async function startConstantBackend(given: ReadonlyMap<string, string>): Promise<Subject> {
  if (!hasNginx) return startNodeBackend(given, false);
  const { folder, files } = writeAnswers(given);
  const lines = files.map(([call, name]) => `"${call}" /${name};`);
  return startNginxWorker("backend", {
    core: 1,
    folder,
    ready: PING,
    http: (port) => `
  map_hash_bucket_size 1024; sendfile off; open_file_cache max=1000; open_file_cache_valid 1h; etag off;
  map "$request_method $request_uri" $answer { default /none; ${lines.join("\n    ")} }
  server {
    listen 127.0.0.1:${port}; root ${folder}; default_type application/json; client_max_body_size 0;
    error_page 405 =200 $answer;
    location / { try_files $answer =404; }
  }`,
  });
}

/** Starts a Node server with the same answers, except that each page of posts differs from the one before. */
export const startChangingBackend = (given: ReadonlyMap<string, string>): Promise<Subject> =>
  startNodeBackend(given, true);

function startNodeBackend(given: ReadonlyMap<string, string>, isChanging: boolean): Promise<Subject> {
  const { folder, files } = writeAnswers(given);
  const paths = files.map(([call, name]) => [call, join(folder, name)]);
  return startScript("backend", "constant-backend.ts", [JSON.stringify(paths), String(isChanging)], 1);
}

/** Writes the answers, and one to a ping, to files of a new folder. */
function writeAnswers(given: ReadonlyMap<string, string>): { folder: string; files: [string, string][] } {
  const answers = new Map([[`GET ${PING}`, '{"status":"OK"}'], ...given]);
  const folder = mkdtempSync(join(tmpdir(), "hivegate-backend-"));
  // If root starts nginx, it reads the files as another user.
  chmodSync(folder, 0o755);
  const files = [...answers].map(([call, text], index): [string, string] => {
    writeFileSync(join(folder, `${index}.json`), text);
    return [call, `${index}.json`];
  });
  return { folder, files };
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

/** Returns the processor time that the process has used so far, in milliseconds (Linux). */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Returns the resident memory of the process in MB. */
export function memoryMb(pid: number): number {
  const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Math.round(Number(match?.[1] ?? 0) / 1024);
}
