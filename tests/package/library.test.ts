import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { createContext, runInContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { type BuildOptions, build } from "esbuild";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stores } from "../../lib/publish/manifest.ts";
import { type PackedLibrary, packLibrary } from "./support/packed-library.ts";

const execute = promisify(execFile);
const root = process.cwd();

/** The documented exports of each subpath in the package's README. */
const documented = [
  ...readFileSync("lib/publish/README.md", "utf8").matchAll(
    /^- `(hivegate[/a-z]*)`: (.+?)(?:; types (.+))?$/gm,
  ),
].map(([, subpath = "", values = "", types = ""]) => ({ subpath, ...{ values, types } }));
const namesIn = (list: string) => [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name).sort();
const nonce = "n".repeat(32);
/** The subpaths of the stores, which require a driver that is not installed, with that driver. */
const storeDrivers = Object.entries(stores).map(
  ([name, { driver }]) => [`hivegate/${name}`, driver] as const,
);
/** The option by which a facilitator opens each store. */
const storeOptions = {
  sqlite: 'dataDir: "data"',
  redis: 'redisUrl: "redis://127.0.0.1:9"',
} as const satisfies Record<keyof typeof stores, string>;

let library: PackedLibrary;
beforeAll(async () => {
  library = await packLibrary();
}, 300_000);
afterAll(() => library.remove());

/** Runs a script in a project, as an ES module or in CommonJS. */
async function run(folder: string, script: string, kind: "module" | "commonjs" = "module") {
  return execute(process.execPath, [`--input-type=${kind}`, "-e", script], { cwd: folder });
}

describe("the packed library", () => {
  test("contains only its build, and nothing of the app", () => {
    const own =
      /^(package\.json|README\.md|LICENSE|[a-z]+\.(js|cjs|d\.ts|d\.cts)|react\.css(\.d\.c?ts)?|(chunks|types)\/.+)$/;
    expect(library.files.filter((path) => !own.test(path))).toEqual([]);
    expect(library.files.filter((path) => /types\/(chat|mattermost|auth|http|cli)\//.test(path))).toEqual([]);
  });

  test("declares its types without zod", () => {
    const declarations = library.files.filter((path) => /\.d\.c?ts$/.test(path));
    const textOf = (path: string) => readFileSync(join(library.full, "node_modules/hivegate", path), "utf8");
    expect(declarations.length).toBeGreaterThan(documented.length);
    expect(declarations.filter((path) => /(from |import\()"zod["/]/.test(textOf(path)))).toEqual([]);
  });

  test("has exactly the documented subpaths, and states its owner and requirements", () => {
    const { manifest } = library;
    const subpaths = Object.keys(manifest.exports).map((path) => path.replace(/^\./, "hivegate"));
    expect(subpaths.sort()).toEqual(
      [...documented.map(({ subpath }) => subpath), "hivegate/package.json", "hivegate/react.css"].sort(),
    );
    expect(Object.keys(manifest.dependencies)).toEqual(["@noble/curves", "@noble/hashes", "undici"]);
    expect(manifest).toMatchObject({
      ...{ name: "hivegate", license: "MIT", type: "module", sideEffects: ["./react.css"] },
      ...{ engines: { node: ">=20.9" }, files: expect.any(Array), keywords: expect.any(Array) },
      ...{
        author: expect.any(String),
        description: expect.stringContaining("402"),
        bin: { hivegate: "./hivegate.js" },
      },
    });
  });

  test("installs at most 4 packages and 6.2 MB", async () => {
    const { stdout } = await execute("npm", ["ls", "--all", "--parseable"], { cwd: library.bare });
    const installed = stdout
      .trim()
      .split("\n")
      .filter((path) => path.includes("node_modules"));
    expect(installed.length).toBeLessThanOrEqual(4);
    const size = await execute("du", ["-s", "--apparent-size", "node_modules"], { cwd: library.bare });
    expect(Number.parseInt(size.stdout, 10)).toBeLessThanOrEqual(6200);
  });

  test.each(
    documented.filter(
      ({ subpath }) => subpath !== "hivegate/react" && !storeDrivers.some(([store]) => store === subpath),
    ),
  )(
    "exports exactly the documented values from $subpath, by import and by require",
    async ({ subpath, values }) => {
      const list = `console.log(JSON.stringify(Object.keys(all).sort()))`;
      const imported = await run(library.bare, `import * as all from "${subpath}"; ${list}`);
      const required = await run(library.bare, `const all = require("${subpath}"); ${list}`, "commonjs");
      expect(JSON.parse(imported.stdout)).toEqual(namesIn(values));
      expect(required).toEqual(imported);
      expect(imported.stderr).toBe("");
    },
  );

  test.each(["module", "commonjs"] as const)(
    "renders its panel by the React of the app, as %s",
    async (kind) => {
      const script = `
      const load = ${kind === "module" ? "(path) => import(path)" : "async (path) => require(path)"};
      Promise.all(["hivegate/react", "react", "react-dom/server"].map(load)).then(([all, react, dom]) => {
        const chat = { baseUrl: "https://chat.example" };
        const panel = react.createElement(all.SignInPanel, { chat, onSignedIn() {} });
        console.log(Object.keys(all).join(), dom.renderToString(react.createElement("p", null, panel)));
      });`;
      expect(await run(library.full, script, kind)).toEqual({ stdout: "SignInPanel <p></p>\n", stderr: "" });
    },
  );

  test("declares exactly the documented names", () => {
    const fileOf = (subpath: string) =>
      join(library.full, "node_modules/hivegate", `${subpath.split("/")[1] ?? "index"}.d.ts`);
    const program = ts.createProgram(
      documented.map(({ subpath }) => fileOf(subpath)),
      { module: ts.ModuleKind.NodeNext, skipLibCheck: true },
    );
    const checker = program.getTypeChecker();
    for (const { subpath, values, types } of documented) {
      const source = program.getSourceFile(fileOf(subpath));
      const module = source && checker.getSymbolAtLocation(source);
      const declared = module ? checker.getExportsOfModule(module).map(({ name }) => name) : [];
      expect(declared.sort(), subpath).toEqual(namesIn(`${values} ${types}`));
    }
  });

  test.each(["module", "commonjs"] as const)(
    "shares its error class between hivegate and hivegate/client, as %s",
    async (kind) => {
      const load = (path: string) => (kind === "module" ? `await import("${path}")` : `require("${path}")`);
      const script = `
      const { PaymentError } = ${load("hivegate")};
      const { createPayingFetch, PaymentError: same } = ${load("hivegate/client")};
      const answer = async () => new Response('{"accepts":[]}', { status: 402 });
      const pay = createPayingFetch({ account: "alice", signTransaction: () => {}, fetch: answer });
      pay("https://shop.example/").catch((error) => console.log(error instanceof PaymentError, same === PaymentError, error.code));`;
      expect((await run(library.bare, script, kind)).stdout).toBe("true true no_offer\n");
    },
  );

  describe.each(["module", "commonjs"] as const)("a missing driver, as %s", (kind) => {
    const load = (path: string) => (kind === "module" ? `await import("${path}")` : `require("${path}")`);

    const needs = Object.entries(storeOptions).map(
      ([name, option]) => [stores[name as keyof typeof stores].driver, option] as const,
    );
    test.each(needs)(
      "(%s) is named on stderr, with its install command, when a facilitator needs it",
      async (driver, option) => {
        const script = `
        const { createFacilitator, FacilitatorError } = ${load("hivegate/facilitator")};
        const facilitator = createFacilitator({ nodes: ["http://127.0.0.1:9"], ${option} });
        facilitator.recover().catch((error) => console.log(error instanceof FacilitatorError, error.code));`;
        const { stdout, stderr } = await run(library.bare, script, kind);
        expect(stdout).toBe("true degraded\n");
        expect(stderr).toContain(`npm install ${driver}`);
      },
    );

    test.each(storeDrivers)(
      "is named with the command to install it when %s is imported",
      async (subpath, driver) => {
        const stderr = expect.stringContaining(
          `Error: ${subpath} needs the package ${driver} beside hivegate: npm install`,
        );
        await expect(run(library.bare, load(subpath), kind)).rejects.toMatchObject({ stderr });
      },
    );

    test("lets the store open once it is installed", async () => {
      const script = `
        const { createSqliteStore } = ${load("hivegate/sqlite")};
        const { withPaywall } = ${load("hivegate/next")};
        const facilitator = { verify: async () => ({ isValid: false }), settle: async () => ({ success: false, errorReason: "invalid_signature" }) };
        const GET = withPaywall({ amount: "0.050 HBD", receivingAccount: "shop", facilitator, dataDir: "paid-${kind}" }, () => new Response("x"));
        const { encodePayment } = ${load("hivegate")};
        const payment = { x402Version: 1, scheme: "exact", network: "chain:mainnet", payload: { nonce: "${nonce}", signedTransaction: {
          ref_block_num: 1, ref_block_prefix: 1, expiration: "2030-01-01T00:00:00", extensions: [], signatures: ["${"1f".padEnd(130, "1")}"],
          operations: [["transfer", { from: "alice", to: "shop", amount: "0.050 HBD", memo: "x402:${nonce}" }]] } } };
        const headers = { "x-payment": encodePayment(payment) };
        GET(new Request("https://shop.example/a", { headers })).then(async (answer) => {
          console.log((await answer.json()).code);
          const store = createSqliteStore({ dataDir: "other-${kind}" });
          await store.ping();
          await store.close();
        });`;
      const { stdout, stderr } = await run(
        library.full,
        kind === "module" ? script : `(async () => {${script}})()`,
        kind,
      );
      expect([stdout, stderr]).toEqual(["payment_rejected\n", ""]);
      expect(existsSync(join(library.full, `paid-${kind}/hivegate.sqlite`))).toBe(true);
    });
  });
});

describe("the library's types", () => {
  const check = async (folder: string, name: string, options: object) => {
    const config = {
      compilerOptions: {
        ...{ strict: true, target: "ES2022", lib: ["ES2023", "DOM", "DOM.Iterable"], esModuleInterop: true },
        ...{ skipLibCheck: false, outDir: `out-${name}`, types: ["node"] },
        noUncheckedSideEffectImports: true,
        typeRoots: [join(root, "node_modules/@types")],
        ...options,
      },
      include: [`${name}/*`],
    };
    await writeFile(join(folder, `tsconfig.${name}.json`), JSON.stringify(config));
    const compiler = join(root, "node_modules/.bin/tsc");
    const checked = execute(compiler, ["-p", `tsconfig.${name}.json`], { cwd: folder });
    const { stdout } = await checked.catch((error: { stdout: string }) => error);
    expect(stdout).toBe("");
  };
  // The sources are stored as text, because these names only resolve if the package is installed.
  const source = (name: string) => join(root, `tests/data/package-consumer/${name}.ts.txt`);
  const put = async (folder: string, name: string, file: string) => {
    await mkdir(join(folder, name), { recursive: true });
    await cp(file, join(folder, name, "consumer.ts"));
  };

  test("compile without any framework, as ES modules", async () => {
    await put(library.bare, "esm", source("without-frameworks"));
    await writeFile(join(library.bare, "esm/package.json"), '{"type":"module"}');
    await check(library.bare, "esm", { module: "NodeNext", noEmit: true });
  }, 180_000);

  test("compile on Node without the types of browsers", async () => {
    await put(library.bare, "node", source("without-frameworks"));
    await writeFile(join(library.bare, "node/package.json"), '{"type":"module"}');
    const all = documented.filter(({ subpath }) => subpath !== "hivegate/react");
    const imports = all.map(({ subpath }, index) => `export * as all${index} from "${subpath}";`);
    await writeFile(join(library.bare, "node/all.ts"), imports.join("\n"));
    await check(library.bare, "node", { module: "NodeNext", lib: ["ES2023"], noEmit: true });
  }, 180_000);

  test("compile in CommonJS TypeScript, whose output runs", async () => {
    await put(library.bare, "cjs", source("without-frameworks"));
    const program = `import { formatHBD, PaymentError } from "hivegate";
      import { createPayingFetch } from "hivegate/client";
      const text: string = formatHBD(0.05);
      console.log(text, typeof createPayingFetch, new PaymentError("no_offer", "none").code);`;
    await writeFile(join(library.bare, "cjs", "program.ts"), program);
    await check(library.bare, "cjs", { module: "CommonJS", moduleResolution: "Node10" });
    const { stdout } = await execute(process.execPath, ["out-cjs/program.js"], { cwd: library.bare });
    expect(stdout).toBe("0.050 HBD function no_offer\n");
  }, 180_000);

  test("fit the frameworks, and every block of the library's README", async () => {
    await put(library.full, "blocks", source("with-frameworks"));
    const text = await readFile("lib/publish/README.md", "utf8");
    const blocks = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block = ""]) => block);
    expect(blocks.length).toBeGreaterThan(3);
    for (const [index, block] of blocks.entries())
      await writeFile(join(library.full, "blocks", `block-${index}.ts`), block);
    await check(library.full, "blocks", { module: "NodeNext", noEmit: true });
  }, 180_000);

  test.each([
    ["4", "express"],
    ["5", "express5"],
  ])(
    "give the functions in the options the request type of Express %s",
    async (version, types) => {
      const name = `express${version}`;
      await put(library.full, name, source("with-express"));
      const paths = { express: [`./node_modules/@types/${types}/index.d.ts`] };
      await check(library.full, name, { module: "NodeNext", noEmit: true, paths });
    },
    180_000,
  );
});

describe("the library in a bundle", () => {
  /** Bundles a program with only the library installed, as the tools for Workers and the edge do. */
  const bundle = async (contents: string, options: BuildOptions = {}) => {
    const { outputFiles, metafile } = await build({
      ...{ format: "iife", ...options },
      stdin: { contents, resolveDir: library.bare },
      bundle: true,
      platform: "browser",
      minify: true,
      write: false,
      metafile: true,
      outdir: "out",
      logLevel: "silent",
    });
    const [entry] = Object.entries(metafile.outputs).filter(([, { entryPoint }]) => entryPoint === "<stdin>");
    /** The chunks that are loaded with the entry, which imports them by name. */
    const atOnce = new Set<string>();
    const load = (path: string) => {
      if (atOnce.has(path)) return;
      atOnce.add(path);
      for (const { kind, path: next } of metafile.outputs[path]?.imports ?? [])
        if (kind === "import-statement") load(next);
    };
    load(entry?.[0] ?? "");
    return {
      text: outputFiles[0]?.text ?? "",
      inputs: Object.keys(metafile.inputs),
      entry: entry?.[1],
      atOnce: [...atOnce].flatMap((path) => metafile.outputs[path] ?? []),
    };
  };

  test.each([
    ["paywall", ["workerd", "worker", "browser"]],
    ["paywall", ["edge-light"]],
    ["next", ["workerd", "worker", "browser"]],
    ["next", ["edge-light"]],
    ["hono", ["workerd", "worker", "browser"]],
    ["hono", ["edge-light"]],
  ])("has no Node modules or compiled code from hivegate/%s under %o", async (name, conditions) => {
    const { text } = await bundle(`export * from "hivegate/${name}"`, { conditions });
    expect(text).not.toMatch(/["']node:|ecdsaRecover|SLOW_CRYPTO/);
  });

  test("lets a seller answer with nothing but the web platform", async () => {
    const { text } = await bundle(`
      import { withPaywall } from "hivegate/next";
      const facilitatorUrl = "https://pay.example";
      const GET = withPaywall({ amount: "0.050 HBD", receivingAccount: "shop", facilitatorUrl }, () => new Response("x"));
      globalThis.answer = GET(new Request("https://shop.example/a")).then(async (answer) => [answer.status, await answer.json()]);`);
    const web = {
      ...{ Request, Response, Headers, URL, TextEncoder, TextDecoder },
      ...{ crypto, performance, btoa, atob },
    };
    // Behaves as on Next's edge, where the functions of `process` throw.
    const process = { emitWarning: () => expect.fail("no process takes warnings here") };
    const world = createContext({ ...web, process, console: { warn: () => {} }, setTimeout, clearTimeout });
    runInContext(text, world);
    expect(await world.answer).toMatchObject([
      402,
      { accepts: [{ resource: "https://shop.example/a" }, {}] },
    ]);
  });

  test("lets a browser client run without Node or zod, and loads the curve only to sign", async () => {
    const { atOnce, inputs } = await bundle(
      `export { createPayingFetch, signPayment, parseRequirements } from "hivegate/client";`,
      { format: "esm", splitting: true },
    );
    expect(inputs.filter((path) => /undici|libsql/.test(path))).toEqual([]);
    const loaded = await Promise.all(
      inputs.filter((path) => path !== "<stdin>").map((path) => readFile(path, "utf8")),
    );
    expect(loaded.length).toBeGreaterThan(1);
    expect(loaded.filter((text) => text.includes("_zod"))).toEqual([]);
    const first = atOnce.flatMap(({ inputs }) => Object.keys(inputs));
    expect(first.filter((path) => path.includes("@noble/curves"))).toEqual([]);
    const bytes = atOnce.reduce((sum, chunk) => sum + chunk.bytes, 0);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(20_000);
  });

  test("keeps the JSON Schema validator out of what loads at once", async () => {
    const { atOnce, inputs } = await bundle(`export { withPaywall } from "hivegate/next";`, {
      ...{ format: "esm", splitting: true, conditions: ["edge-light"] },
    });
    const texts = await Promise.all(
      inputs
        .filter((path) => path !== "<stdin>")
        .map(async (path) => ({ path, text: await readFile(path, "utf8") })),
    );
    const validators = texts.filter(({ text }) => text.includes("unevaluatedProperties"));
    expect(validators).toHaveLength(1);
    const first = atOnce.flatMap(({ inputs }) => Object.keys(inputs));
    expect(validators.filter(({ path }) => first.includes(path))).toEqual([]);
  });

  test("keeps a page's chat client within 12 KB gzipped", async () => {
    const { text } = await bundle(`export * from "hivegate/chat";`, { format: "esm" });
    expect(gzipSync(text).byteLength).toBeLessThanOrEqual(12 * 1024);
  });
});
