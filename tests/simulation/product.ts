import { readFile } from "node:fs/promises";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { compileFunction } from "node:vm";
import { build, type Plugin } from "esbuild";
import { type Mutation, mutate } from "./mutations.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const entry = `
  export { createFacilitator, createFacilitatorHandlers } from "./lib/x402/facilitator/index.ts";
  export { withPaywall } from "./lib/x402/next.ts";
  export { createAskingFetch } from "./lib/approvals/index.ts";
  export { createPayingFetch } from "./lib/x402/client/index.ts";
  export { createPacedRefunds } from "./lib/x402/refunds/paced-refunds.ts";
  export { noteResponse } from "./lib/async/end-of-answer.ts";
  export { storeFailure } from "./lib/store/store.ts";
`;

/** The payment code as loaded by one simulated process. */
export type Product = Pick<
  typeof import("../../lib/x402/facilitator/index.ts"),
  "createFacilitator" | "createFacilitatorHandlers"
> &
  Pick<typeof import("../../lib/x402/next.ts"), "withPaywall"> &
  Pick<typeof import("../../lib/approvals/index.ts"), "createAskingFetch"> &
  Pick<typeof import("../../lib/x402/client/index.ts"), "createPayingFetch"> &
  Pick<typeof import("../../lib/x402/refunds/paced-refunds.ts"), "createPacedRefunds"> &
  Pick<typeof import("../../lib/async/end-of-answer.ts"), "noteResponse"> &
  Pick<typeof import("../../lib/store/store.ts"), "storeFailure">;

/** A process's replacements for Node's globals, by name, and for modules, by specifier. */
export type Environment = { globals: Record<string, unknown>; modules: Record<string, unknown> };

/** Loads the payment code once more into an environment, with separate module state. */
export type LoadProduct = (environment: Environment) => Product;

/** Globals that the code finds in its environment in place of Node's. */
const GLOBALS = [
  ...["globalThis", "Date", "performance", "fetch", "crypto", "AbortSignal"],
  ...["setTimeout", "clearTimeout", "setInterval", "clearInterval", "setImmediate"],
];

/**
 * Bundles the payment code of the working tree, with `mutation` applied. @throws Error if the mutation's text
 * does not occur exactly once in its file
 */
export async function bundleProduct(mutation?: Mutation): Promise<LoadProduct> {
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: root, loader: "ts" },
    bundle: true,
    write: false,
    format: "cjs",
    platform: "node",
    target: "node20.9",
    // The environment provides the drivers and Node's modules, or deliberately lacks them.
    external: ["undici", "libsql", "redis", "secp256k1"],
    logLevel: "silent",
    plugins: mutation ? [mutating(mutation)] : [],
  });
  const code = outputFiles[0]?.text ?? "";
  const run = compileFunction(code, ["module", "require", ...GLOBALS], { filename: "product.cjs" });
  return ({ globals, modules }) => {
    const module = { exports: {} as Product };
    const require = (name: string) => {
      if (name in modules) return modules[name];
      throw new Error(`the simulation has no module ${name}`);
    };
    run(module, require, ...GLOBALS.map((name) => globals[name]));
    return module.exports;
  };
}

function mutating({ file, from, to }: Mutation): Plugin {
  return {
    name: "mutation",
    setup({ onLoad, onEnd }) {
      let isApplied = false;
      onLoad({ filter: /\/lib\/.*\.ts$/ }, async ({ path }) => {
        if (relative(root, path) !== file) return undefined;
        const contents = mutate(await readFile(path, "utf8"), { file, from, to });
        isApplied = true;
        return { contents, loader: "ts" };
      });
      onEnd(() => {
        if (!isApplied) throw new Error(`mutation out of date: the payment code does not load ${file}`);
      });
    },
  };
}
