import { readFile, writeFile } from "node:fs/promises";
import { type BuildOptions, build, type Metafile, type Plugin, transform } from "esbuild";
import { dependencies, optionalPeers, stores } from "./manifest.ts";

type StoreName = keyof typeof stores;
const storeNames = Object.keys(stores) as StoreName[];
const hiddenStore = "hidden-store";

/**
 * Loads a store on first use, by a name that no bundler can read: Workers have no `node:fs`, and sellers
 * install only the driver of the store that they use.
 */
const hideStores: Plugin = {
  name: "hide-stores",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /-store\.ts$/ }, ({ kind, path }) => {
      const name = storeNames.find((store) => path.endsWith(stores[store].file.replace(/^lib/, "")));
      return kind === "dynamic-import" && name ? { path: name, namespace: hiddenStore } : undefined;
    });
    onLoad({ filter: /.*/, namespace: hiddenStore }, ({ path: name }) => {
      const create = stores[name as StoreName].factory;
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

/** The drivers are loaded by `require`, because the failure of an `import` could not be explained. */
const requiredDriver = "required-driver";

/** Makes the error name the driver that is not installed. */
const nameDrivers: Plugin = {
  name: "name-drivers",
  setup({ onResolve, onLoad }) {
    const drivers = new RegExp(`^(${storeNames.map((store) => stores[store].driver).join("|")})$`);
    onResolve({ filter: drivers }, ({ path }) => ({ path, namespace: requiredDriver }));
    onLoad({ filter: /.*/, namespace: requiredDriver }, ({ path: name }) => {
      const store = storeNames.find((one) => stores[one].driver === name);
      if (!store) return undefined;
      const subpath = `hivegate/${store}`;
      const { imports } = stores[store];
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
        ${imports}`;
      return { contents };
    });
  },
};

/** Imports zod as a namespace, so that the bundler can drop the unused parts, which are most of it. */
const shakeZod: Plugin = {
  name: "shake-zod",
  setup({ onLoad }) {
    onLoad({ filter: /\/lib\/.*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      return { contents: text.replace('import { z } from "zod"', 'import * as z from "zod"'), loader: "ts" };
    });
  },
};

/** Leaves out the regular expressions for `format`, a keyword that no description is checked by. */
const dropFormats: Plugin = {
  name: "drop-formats",
  setup({ onLoad }) {
    const contents = "export const format = {};";
    onLoad({ filter: /@cfworker\/json-schema\/dist\/esm\/format\.js$/ }, () => ({ contents }));
  },
};

/** Leaves imports of the library's other files in place, under their published names. */
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
  external: [...dependencies, ...Object.keys(optionalPeers)]
    .filter((name) => name !== "zod")
    .flatMap((name) => [name, `${name}/*`]),
  metafile: true,
  logLevel: "warning",
} satisfies BuildOptions;

/**
 * Writes the library's code to `folder`: as ES modules that share chunks, and the same files for `require`. Resolves to
 * the bundled files.
 */
export async function bundle(
  entryPoints: Readonly<Record<string, string>>,
  folder: string,
): Promise<readonly string[]> {
  const modules = await build({
    ...common,
    entryPoints,
    outdir: folder,
    chunkNames: "chunks/[name]-[hash]",
    splitting: true,
    format: "esm",
    minifySyntax: true,
    plugins: [hideStores, nameDrivers, shakeZod, dropFormats],
  });
  await shorten(modules.metafile);
  const files = Object.keys(modules.metafile.outputs);
  await build({
    ...common,
    entryPoints: files,
    outdir: folder,
    outbase: folder,
    outExtension: { ".js": ".cjs" },
    format: "cjs",
    // CommonJS has a file name in place of a module's URL, and `createRequire` accepts it too.
    define: { "import.meta.url": "__filename" },
    supported: { "dynamic-import": false },
    // Only the library's own ES modules keep their names; the copy for `require` does not.
    minify: true,
    plugins: [keepFiles],
  });
  return Object.keys(modules.metafile.inputs);
}

/**
 * Shortens the modules: bundled packages, which nobody reads here, and the library's own, which keep their names, and
 * lines for stack traces. Comments that tell bundlers to leave an import alone would be lost.
 */
async function shorten({ outputs }: Metafile): Promise<void> {
  for (const [file, { inputs }] of Object.entries(outputs)) {
    const text = await readFile(file, "utf8");
    const sources = Object.keys(inputs);
    const isForeign = sources.length > 0 && sources.every((source) => source.startsWith("node_modules/"));
    if (!isForeign && text.includes("webpackIgnore")) continue;
    const options = isForeign ? { minify: true } : { minifyWhitespace: true, lineLimit: 320 };
    const { code } = await transform(text, { format: "esm", ...options });
    await writeFile(file, code);
  }
}

/** The parts of the library that its command imports from the published files instead of holding a copy. */
const publishedParts = [
  [/\/x402\/client\/index\.ts$/, "../client.js"],
  [/\/chat-client\/index\.ts$/, "../chat.js"],
  [/\/hive\/sign-in\.ts$/, "../signin.js"],
  [/\/x402\/sandbox\.ts$/, "../sandbox.js"],
] as const;

/** Leaves imports of published parts in place. The chunks that import them are in a folder of the package. */
const sharePublishedParts: Plugin = {
  name: "share-published-parts",
  setup({ onResolve }) {
    for (const [filter, path] of publishedParts) onResolve({ filter }, () => ({ path, external: true }));
  },
};

/** Writes a command next to the library; the code that it runs is in separate chunks. */
export async function bundleCommand(entryPoint: string, folder: string): Promise<void> {
  await build({
    ...common,
    entryPoints: [entryPoint],
    outdir: folder,
    chunkNames: "chunks/command-[name]-[hash]",
    splitting: true,
    minify: true,
    external: [...common.external, "zod"],
    format: "esm",
    plugins: [shakeZod, sharePublishedParts],
  });
}
