import { spawn } from "node:child_process";
import { once } from "node:events";
import { createConnection } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "./free-port.ts";

export type TestRedis = {
  url: string;
  port: number;
  /** Stops the process from answering, without closing its connections; `resume` lets it go on. */
  pause(): void;
  resume(): void;
  close(): Promise<void>;
};

/** Starts a real redis-server that keeps nothing on disk, on the given port or a free one. */
export async function startRedis(options: { port?: number } = {}): Promise<TestRedis> {
  const port = options.port ?? (await freePort());
  const server = spawn(
    "redis-server",
    ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
    { stdio: "ignore" },
  );
  const failed = once(server, "error").then(([error]) => {
    throw new Error("redis-server can't be started: install it (Debian: apt-get install redis-server)", {
      cause: error,
    });
  });
  await Promise.race([answers(port), failed]);
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

async function answers(port: number): Promise<void> {
  const end = Date.now() + 10_000;
  for (;;) {
    const socket = createConnection({ port, host: "127.0.0.1" });
    try {
      await once(socket, "connect");
      return;
    } catch (error) {
      if (Date.now() > end) throw error;
      await sleep(20);
    } finally {
      socket.destroy();
    }
  }
}
