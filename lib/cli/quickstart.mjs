// Takes a bare checkout to a running sandbox. Written in plain Node, because it runs before anything is
// installed.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const args = process.argv.slice(2);
if (args.includes("--help") || args.includes("-h")) {
  console.log(`Usage: npm run quickstart

Installs and builds what is missing or out of date, then serves the gateway on a sandbox: a Mattermost and a chain of its own, in .data.`);
  process.exit(0);
}
if (args.length > 0) {
  console.error(`Unknown option '${args[0]}'. What it takes: --help`);
  process.exit(2);
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const sources = ["app", "lib", "sandbox", "public"];
/** Files that every build and `npm run dev` write. */
const written = ["emoji", "sw.js"].map((name) => join(root, "public", name));
const sourceFiles = [
  "server.ts",
  "middleware.ts",
  "instrumentation.ts",
  "next.config.mjs",
  "package-lock.json",
];

function npm(...args) {
  const { status } = spawnSync("npm", args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) process.exit(status ?? 1);
}

const changedAt = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);

function newest(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((path) => !written.some((one) => path.startsWith(one)))
    .reduce((latest, path) => Math.max(latest, changedAt(path)), 0);
}

function isBuilt() {
  const builtAt = Math.min(changedAt(join(root, ".next/BUILD_ID")), changedAt(join(root, "dist/server.js")));
  const editedAt = Math.max(
    ...sources
      .map((name) => join(root, name))
      .filter(existsSync)
      .map(newest),
    ...sourceFiles.map((name) => changedAt(join(root, name))),
  );
  return builtAt > editedAt;
}

const isInstalled =
  changedAt(join(root, "node_modules/.package-lock.json")) >= changedAt(join(root, "package-lock.json"));
if (!isInstalled) npm("ci", "--include=dev", "--no-audit", "--no-fund");
if (!isBuilt()) npm("run", "--silent", "build");

process.chdir(root);
process.argv.push("--sandbox");
await import(pathToFileURL(join(root, "dist/server.js")).href);
