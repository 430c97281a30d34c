// Builds the service worker to public/sw.js.
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const source = (name) => fileURLToPath(new URL(name, import.meta.url));

const common = {
  bundle: true,
  format: "iife",
  platform: "browser",
  target: "es2022",
  charset: "utf8",
  minify: true,
  logLevel: "warning",
};

const { outputFiles } = await build({ ...common, entryPoints: [source("return-online.ts")], write: false });
await build({
  ...common,
  entryPoints: [source("service-worker.ts")],
  define: { RETURN_ONLINE_SCRIPT: JSON.stringify(outputFiles[0].text) },
  outfile: source("../../public/sw.js"),
});
