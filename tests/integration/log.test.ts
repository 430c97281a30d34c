import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "vitest";

const LINES = 300;

/**
 * Runs a program that writes many request lines to its log and then runs the code `end`. Returns the lines.
 */
async function linesBefore(end: string): Promise<Array<Record<string, unknown>>> {
  const program = `
    import { log, plainLog } from "./lib/log.ts";
    for (let ms = 0; ms < ${LINES}; ms++) plainLog().info({ ms }, "request");
    ${end}`;
  const args = ["--import", "tsx", "--input-type=module", "--eval", program];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(child, "close");
  return Buffer.concat(chunks)
    .toString()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

describe("lines that are written in batches", () => {
  test.each([
    ["ends", ""],
    ["exits", "process.exit(1);"],
    ["dies of an exception", 'throw new Error("a bug");'],
    ["dies of an exception later", 'setImmediate(() => { throw new Error("a bug"); });'],
  ])("are all written when the process %s", async (_, end) => {
    const lines = await linesBefore(end);
    expect(lines.map(({ ms }) => ms)).toEqual(Array.from({ length: LINES }, (_line, index) => index));
  });

  test("are written before the error that follows them, even if the process is killed at once", async () => {
    const lines = await linesBefore('log().error("the last words"); process.kill(process.pid, "SIGKILL");');
    expect(lines).toHaveLength(LINES + 1);
    expect(lines.at(-1)).toMatchObject({ level: "error", msg: "the last words" });
  });

  test("carry the time in ISO 8601", async () => {
    const [line] = await linesBefore("");
    expect(new Date(String(line?.time)).toISOString()).toBe(line?.time);
  });

  test("follow the log's level, and other lines have secrets redacted by name", async () => {
    const lines = await linesBefore(
      'log("warn"); plainLog().info("no"); log().warn({ token: "abc", at: { cookie: "abc" } }, "yes");',
    );
    expect(lines.slice(LINES)).toEqual([
      expect.objectContaining({ msg: "yes", token: "[redacted]", at: { cookie: "[redacted]" } }),
    ]);
  });
});
