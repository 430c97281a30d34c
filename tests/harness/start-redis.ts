import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createConnection } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "redis";
import { freePort } from "./free-port.ts";

/** Limit for a hanging call. On a busy machine, a working call may take a while. */
const PATIENCE_MS = 60_000;

export type TestRedis = {
  url: string;
  port: number;
  /** Stops the process from answering without closing its connections. `resume` lets it continue. */
  pause(): void;
  resume(): void;
  close(): Promise<void>;
};

/**
 * Starts a real redis-server, on the given port or a free one. It stores nothing on disk unless a folder is
 * given: then confirmed writes survive until the next start in that folder, however the server ended.
 * `policy` applies when its memory is full.
 */
export async function startRedis(
  options: { port?: number; dataDir?: string; policy?: string } = {},
): Promise<TestRedis> {
  const { dataDir, policy = "noeviction" } = options;
  const kept =
    dataDir === undefined
      ? ["--appendonly", "no"]
      : ["--appendonly", "yes", "--appendfsync", "always", "--dir", dataDir];
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const port = options.port ?? (await freePort());
    const server = spawn(
      "redis-server",
      ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--maxmemory-policy", policy, ...kept],
      { stdio: "ignore" },
    );
    if (await isServing(server, port)) return handleOf(server, port);
    if (performance.now() > end)
      throw new Error(`redis-server ended at once: is port ${port} somebody else's?`);
  }
}

/** Deletes all the server's data, like a restart without persistence. */
export async function flushRedis({ url }: TestRedis): Promise<void> {
  const client = await createClient({ url }).connect();
  await client.flushAll();
  client.destroy();
}

function handleOf(server: ChildProcess, port: number): TestRedis {
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    pause: () => void server.kill("SIGSTOP"),
    resume: () => void server.kill("SIGCONT"),
    async close() {
      if (server.exitCode !== null || server.signalCode !== null) return;
      server.kill("SIGCONT");
      server.kill("SIGKILL");
      await once(server, "exit");
    },
  };
}

/**
 * Waits until this very process answers at the port. Returns `false` if it has ended because another process
 * has the port.
 */
async function isServing(server: ChildProcess, port: number): Promise<boolean> {
  await once(server, "spawn").catch((cause: unknown) => {
    throw new Error("redis-server can't be started: install it (Debian: apt-get install redis-server)", {
      cause,
    });
  });
  while (server.exitCode === null) {
    if ((await processAt(port)) === server.pid) return true;
    await sleep(20);
  }
  return false;
}

/** Returns the process id of the Redis at the port, or undefined if no Redis answers there. */
async function processAt(port: number): Promise<number | undefined> {
  const socket = createConnection({ port, host: "127.0.0.1" }).setEncoding("utf8");
  socket.setTimeout(1000, () => socket.destroy());
  let text = "";
  try {
    socket.write("INFO server\r\n");
    for await (const chunk of socket) {
      text += chunk;
      const id = /process_id:(\d+)/.exec(text)?.[1];
      if (id !== undefined) return Number(id);
    }
  } catch {
    // No process listens there yet.
  } finally {
    socket.destroy();
  }
  return undefined;
}
