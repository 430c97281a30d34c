import { execFileSync } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const copied = [
  ...["app", "lib", "sandbox", "public", "package.json", "package-lock.json", "tsconfig.json"],
  ...["server.ts", "middleware.ts", "instrumentation.ts", "next.config.mjs", "postcss.config.mjs"],
  "esbuild.config.mjs",
];

/**
 * Copies the unbuilt app with its installed packages to a new folder, because `next dev` runs once per
 * folder.
 */
export async function copyApp(): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "app-"));
  for (const name of copied) await cp(name, join(folder, name), { recursive: true });
  const installed = join(process.cwd(), "node_modules");
  try {
    // Hard links cost nothing, and bundlers follow no link out of the folder.
    execFileSync("cp", ["-al", installed, folder], { stdio: "ignore" });
  } catch {
    // On this machine, temporary files are on another file system.
    await rm(join(folder, "node_modules"), { recursive: true, force: true });
    execFileSync("cp", ["-a", installed, folder], { stdio: "ignore" });
  }
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}
