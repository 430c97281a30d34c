// Builds the code that runs without Next's compiler. The sandbox is a separate chunk, which only `--sandbox` loads.
import { rmSync } from "node:fs";
import { build } from "esbuild";

rmSync("dist/chunks", { recursive: true, force: true });
await build({
  entryPoints: {
    server: "server.ts",
    facilitator: "lib/cli/facilitator.ts",
    doctor: "lib/cli/doctor.ts",
    seed: "lib/cli/seed.ts",
    refund: "lib/cli/refund.ts",
    "keep-assets": "lib/cli/keep-assets.ts",
  },
  outdir: "dist",
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.9",
  packages: "external",
  sourcemap: "linked",
  logLevel: "warning",
});
