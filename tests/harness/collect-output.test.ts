import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { collectOutput } from "./collect-output.ts";

/** Returns the message of the first exception that reading a child's output throws. */
async function reportOf(code: string): Promise<string | null> {
  const runners = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException");
  let report: string | null = null;
  process.on("uncaughtException", (error) => {
    report ??= error.message;
  });
  try {
    const child = spawn(process.execPath, ["-e", code]);
    collectOutput(child);
    await once(child, "close");
    return report;
  } finally {
    process.removeAllListeners("uncaughtException");
    for (const listener of runners) process.on("uncaughtException", listener);
  }
}

describe("a process under test", () => {
  test.each([
    ["the server's own log line", `console.log('{"level":"fatal","msg":"uncaught exception"}')`],
    ["an unhandled rejection", `console.log('{"level":"error","msg":"unhandled rejection"}')`],
    ["Next's line", `console.error(" x uncaughtException:  TypeError: Invalid state")`],
    ["the end of a process without a handler", `setTimeout(() => { throw new Error("planted") })`],
  ])("fails the run when it reports an uncaught exception: %s", async (_, code) => {
    expect(await reportOf(code)).toMatch(/^a process under test reported an uncaught exception/);
  });

  test("passes if it exits normally, even with status 1", async () => {
    expect(await reportOf(`console.log('{"msg":"request failed"}'); process.exitCode = 1`)).toBeNull();
  });
});
