import { readFile } from "node:fs/promises";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { compileFunction } from "node:vm";
import { build, type Plugin } from "esbuild";

const root = fileURLToPath(new URL("../..", import.meta.url));

const entry = `
  export { createFacilitator, createFacilitatorHandlers } from "./lib/x402/facilitator/index.ts";
  export { withPaywall } from "./lib/x402/next.ts";
  export { createPayingFetch } from "./lib/x402/client/index.ts";
  export { storeFailure } from "./lib/store/store.ts";
`;

/** The payment code as one simulated process has it loaded. */
export type Product = Pick<
  typeof import("../../lib/x402/facilitator/index.ts"),
  "createFacilitator" | "createFacilitatorHandlers"
> &
  Pick<typeof import("../../lib/x402/next.ts"), "withPaywall"> &
  Pick<typeof import("../../lib/x402/client/index.ts"), "createPayingFetch"> &
  Pick<typeof import("../../lib/store/store.ts"), "storeFailure">;

/** A planted fault: in `file`, the one place that reads `from` reads `to` instead. */
export type Mutation = { file: string; from: string; to: string };

/** What a process puts in place of Node's own: globals by name, and modules by specifier. */
export type Environment = { globals: Record<string, unknown>; modules: Record<string, unknown> };

/** Loads the payment code once more, with module state of its own, into an environment. */
export type LoadProduct = (environment: Environment) => Product;

/** Names that the code finds in its environment instead of Node's. */
const GLOBALS = [
  ...["globalThis", "Date", "performance", "fetch", "crypto", "AbortSignal"],
  ...["setTimeout", "clearTimeout", "setInterval", "clearInterval", "setImmediate"],
];

/**
 * Bundles the payment code as it is in the working tree, with `mutation` applied.
 * @throws Error when the mutation's text does not occur exactly once in its file.
 */
export async function bundleProduct(mutation?: Mutation): Promise<LoadProduct> {
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: root, loader: "ts" },
    bundle: true,
    write: false,
    format: "cjs",
    platform: "node",
    target: "node20.9",
    // Drivers and Node's modules come from the environment, or are missing there.
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

/**
 * Returns the text of a file with the fault planted into it.
 * @throws Error when what the fault replaces does not occur exactly once.
 */
export function mutate(text: string, { file, from, to }: Mutation): string {
  const count = text.split(from).length - 1;
  if (count !== 1)
    throw new Error(`mutation out of date: ${file} has ${count} places (not 1) that read\n${from}`);
  return text.replace(from, () => to);
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
