import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";

const root = fileURLToPath(new URL("../..", import.meta.url));
const outdir = join(root, "test-results", "processes");

const sources = [
  "lib/cli/doctor.ts",
  "lib/cli/facilitator.ts",
  "lib/cli/refund.ts",
  "lib/cli/seed.ts",
  "tests/harness/gateway-parts.ts",
  "tests/harness/serve-asking-process.ts",
  "tests/harness/serve-buyer-process.ts",
  "tests/harness/serve-facilitator-process.ts",
  "tests/harness/serve-gateway.ts",
  "tests/harness/serve-mattermost-process.ts",
  "tests/harness/serve-refund-process.ts",
  "tests/harness/serve-shop-process.ts",
] as const;

/** Returns the path of a source file's bundle for plain Node. */
export function bundleOf(source: (typeof sources)[number]): string {
  return join(outdir, source.replace(/\.ts$/, ".js"));
}

async function bundle(): Promise<void> {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [...sources],
    outbase: root,
    outdir,
    write: false,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.9",
    // These packages find and read their own files at each start.
    external: ["libsql", "next", "pino", "redis", "secp256k1", "@upstash/redis"],
    // CommonJS code gets Node's modules through `require`.
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
    sourcemap: "inline",
    logLevel: "warning",
  });
  // Each file is replaced as a whole, because another runner may be starting processes from it.
  for (const { path, contents } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    const fresh = `${path}.${process.pid}`;
    writeFileSync(fresh, contents);
    renameSync(fresh, path);
  }
}

/**
 * Bundles the programs that tests run as processes, once per run of either runner: compiling them at each
 * start took a third of a run.
 */
export default async function setup(runner: Partial<Pick<TestProject, "onTestsRerun">>): Promise<void> {
  await bundle();
  runner.onTestsRerun?.(bundle);
}
