import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { canPin, hasNginx, hasWrk } from "./children.ts";
import type { Run } from "./results.ts";

/** Describes the run that begins at `now` on this machine. */
export function describeRun(now: Date, length: Pick<Run, "rounds" | "seconds">): Run {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  const { status, stdout } = spawnSync("git", ["describe", "--always", "--dirty", "--exclude=*"], {
    encoding: "utf8",
  });
  const cores = cpus();
  return {
    date: now.toISOString(),
    version,
    commit: status === 0 ? stdout.trim() : null,
    ...length,
    machine: { cores: cores.length, cpu: cores[0]?.model ?? "unknown", node: process.version },
    tools: {
      load: hasWrk ? "wrk" : "a Node program",
      backend: hasNginx ? "nginx" : "a Node server",
      isPinned: canPin,
    },
  };
}
