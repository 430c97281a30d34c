import { readFile } from "node:fs/promises";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { dependencies, optionalPeers } from "./manifest.ts";

const stores = /\/store\/(sqlite|redis)-store\.ts$/;
const hiddenStore = "hidden-store";

/**
 * A store is loaded when it is used, by a name that no bundler can read: Workers have no `node:fs`, and who keeps
 * claims elsewhere has not installed the driver.
 */
const hideStores: Plugin = {
  name: "hide-stores",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: stores }, ({ kind, path }) => {
      const name = stores.exec(path)?.[1];
      return kind === "dynamic-import" && name ? { path: name, namespace: hiddenStore } : undefined;
    });
    onLoad({ filter: /.*/, namespace: hiddenStore }, ({ path: name }) => {
      const create = name === "sqlite" ? "createSqliteStore" : "createRedisStore";
      const contents = `
        const name = ["hivegate", "${name}"].join("/");
        export async function ${create}(options) {
          const store = await import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ name);
          return store.${create}(options);
        }`;
      return { contents };
    });
  },
};

/** What the stores take of their drivers, which are loaded by `require`: a failed `import` could not be put into words. */
const drivers = {
  libsql: { subpath: "hivegate/sqlite", taken: "export default driver;" },
  redis: { subpath: "hivegate/redis", taken: "export const { createClient } = driver;" },
} as const;
const requiredDriver = "required-driver";

/** Says which driver is not installed. */
const nameDrivers: Plugin = {
  name: "name-drivers",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(libsql|redis)$/ }, ({ path }) => ({ path, namespace: requiredDriver }));
    onLoad({ filter: /.*/, namespace: requiredDriver }, ({ path: name }) => {
      const { subpath, taken } = drivers[name as keyof typeof drivers];
      const contents = `
        import { createRequire } from "node:module";
        const load = () => {
          try {
            return createRequire(import.meta.url)("${name}");
          } catch (cause) {
            if (cause.code !== "MODULE_NOT_FOUND") throw cause;
            const message = "${subpath} needs the package ${name} beside hivegate: npm install ${name}";
            throw Object.assign(new Error(message, { cause }), { code: cause.code });
          }
        };
        const driver = load();
        ${taken}`;
      return { contents };
    });
  },
};

/** Only a namespace lets the bundler leave out what is not used of zod, which is most of it. */
const shakeZod: Plugin = {
  name: "shake-zod",
  setup({ onLoad }) {
    onLoad({ filter: /\/lib\/.*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      return { contents: text.replace('import { z } from "zod"', 'import * as z from "zod"'), loader: "ts" };
    });
  },
};

/** Files of the library itself keep being files, under their other name. */
const keepFiles: Plugin = {
  name: "keep-files",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.?\// }, ({ kind, path }) =>
      kind === "entry-point" ? undefined : { path: path.replace(/\.js$/, ".cjs"), external: true },
    );
  },
};

const common = {
  bundle: true,
  platform: "node",
  target: "es2022",
  external: [...dependencies, ...Object.keys(optionalPeers)].flatMap((name) => [name, `${name}/*`]),
  metafile: true,
  logLevel: "warning",
} satisfies BuildOptions;

/** Writes the library's code to `folder`: as ES modules that share chunks, and the same files for `require`. */
export async function bundle(entryPoints: Readonly<Record<string, string>>, folder: string): Promise<void> {
  const modules = await build({
    ...common,
    entryPoints,
    outdir: folder,
    chunkNames: "chunks/[name]-[hash]",
    splitting: true,
    format: "esm",
    plugins: [hideStores, nameDrivers, shakeZod],
  });
  const files = Object.keys(modules.metafile.outputs);
  await build({
    ...common,
    entryPoints: files,
    outdir: folder,
    outbase: folder,
    outExtension: { ".js": ".cjs" },
    format: "cjs",
    // Where modules have an address, `require` has a file name, which `createRequire` takes too.
    define: { "import.meta.url": "__filename" },
    supported: { "dynamic-import": false },
    plugins: [keepFiles],
  });
}

/** Writes a command beside the library, in a file of its own that needs nothing else. */
export async function bundleCommand(entryPoint: string, outfile: string): Promise<void> {
  await build({ ...common, entryPoints: [entryPoint], outfile, format: "esm" });
}
