import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);
const cache = join(process.cwd(), "node_modules", ".cache", "hivegate-runtimes");

/** The npm package that contains a runtime's binary for Linux on x64, and the binary's path in it. */
export type Runtime = { packageName: string; version: string; binary: string };

/**
 * Resolves to the path of a runtime's binary, which npm fetches once and stores under `node_modules`. If the
 * binary is unavailable, on another system or without the registry, the test is skipped with the reason.
 */
export async function fetchRuntime(
  { packageName, version, binary }: Runtime,
  skip: (note: string) => never,
): Promise<string> {
  if (process.platform !== "linux" || process.arch !== "x64")
    return skip(`${packageName} is for Linux on x64`);
  const folder = join(cache, `${packageName.replace("/", "-")}@${version}`);
  const path = join(folder, "node_modules", packageName, binary);
  if (existsSync(path)) return path;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true }));
  const install = ["install", `${packageName}@${version}`, "--prefer-offline", "--ignore-scripts"];
  try {
    await execute("npm", [...install, "--no-audit", "--no-fund"], { cwd: folder, timeout: 60_000 });
  } catch {
    return skip(`npm can't fetch ${packageName}@${version}`);
  }
  return existsSync(path) ? path : skip(`${packageName}@${version} holds no ${binary}`);
}
