import { execFile } from "node:child_process";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** Runs `npm run bench` with arguments, and returns its output and its exit code. */
export function runBench(...args: string[]): Promise<{ stdout: string; stderr: string; code: number }> {
  const ended = execute("npm", ["run", "--silent", "bench", "--", ...args], {
    env: { ...process.env, NO_COLOR: "1" },
  });
  return ended.then(
    ({ stdout, stderr }) => ({ stdout, stderr, code: 0 }),
    (error: { stdout: string; stderr: string; code: number }) => error,
  );
}
