import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const root = fileURLToPath(new URL("../..", import.meta.url));
const outdir = `${root}test-results/bench`;

/**
 * Compiles a TypeScript file of this folder as the build compiles the server, and returns its path. A loader
 * that compiles at the start would also make its functions slower.
 */
export function compileScript(file: string): string {
  mkdirSync(outdir, { recursive: true });
  const outfile = `${outdir}/${file.replace(/\.ts$/, ".js")}`;
  buildSync({
    absWorkingDir: root,
    entryPoints: [`tests/bench/${file}`],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.9",
    packages: "external",
    logLevel: "warning",
  });
  return outfile;
}
