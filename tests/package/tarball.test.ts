import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const run = promisify(execFile);
const root = process.cwd();

const exported: Record<string, string[]> = {
  "": [
    ...["HEADER_PAYMENT", "formatHBD", "parseHBD", "encodePayment", "decodePayment", "signPayment"],
    ...[
      "createPayingFetch",
      "parseRequirements",
      "paywall",
      "withPaywall",
      "honoPaywall",
      "createFacilitator",
    ],
  ],
  client: ["HEADER_PAYMENT", "signPayment", "createPayingFetch", "parseRequirements"],
  paywall: ["paywall"],
  next: ["withPaywall"],
  hono: ["honoPaywall"],
  facilitator: ["createFacilitator"],
  scheme: ["createClientScheme", "createServerScheme", "createFacilitatorScheme"],
};
const chat = ["createChatClient", "createChatSession", "ChatError"];
const subpaths = Object.keys(exported).flatMap((name) => [
  name === "" ? "hivegate" : `hivegate/${name}`,
  name === "" ? "hivegate/x402" : `hivegate/x402/${name}`,
]);
const namesOf = (subpath: string) => exported[subpath.replace(/^hivegate(\/x402)?\/?/, "")] ?? [];

let folder: string;
let files: string[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hivegate-package-"));
  await run("npm", ["run", "--silent", "build:lib"], { cwd: root });
  const packed = await run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], {
    cwd: root,
  });
  const [{ filename, files: listed }] = JSON.parse(packed.stdout) as [
    { filename: string; files: Array<{ path: string }> },
  ];
  files = listed.map(({ path }) => path);
  const modules = join(folder, "node_modules");
  await mkdir(join(modules, "hivegate"), { recursive: true });
  await run("tar", ["-xzf", join(folder, filename), "--strip-components=1", "-C", join(modules, "hivegate")]);
  // What npm would install beside it; from here, because tests run without a registry.
  for (const name of await readdir(join(root, "node_modules")))
    if (!name.startsWith(".") && name !== "hivegate")
      await symlink(join(root, "node_modules", name), join(modules, name));
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module", private: true }));
}, 180_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the packed library", () => {
  test("has a chat client for pages, which needs nothing of Node and at most 12 KB", async () => {
    const entry = join(folder, "chat-in-a-page.js");
    await writeFile(entry, `export * from "hivegate/chat";`);
    const { outputFiles, metafile } = await build({
      entryPoints: [entry],
      bundle: true,
      minify: true,
      write: false,
      metafile: true,
      format: "esm",
      platform: "browser",
      absWorkingDir: folder,
    });
    const [bundle] = outputFiles;
    expect(gzipSync(bundle?.contents ?? "").byteLength).toBeLessThanOrEqual(12 * 1024);
    expect(Object.values(metafile.outputs)[0]?.exports.sort()).toEqual(chat.sort());
  });

  test("holds the built library and nothing of the app", () => {
    expect(files.filter((path) => !/^(dist\/lib\/|package\.json$|README|LICENSE)/.test(path))).toEqual([]);
    expect(files.filter((path) => /\.ts$/.test(path) && !/\.d\.ts$/.test(path))).toEqual([]);
    expect(files.some((path) => /^dist\/lib\/((chat|mattermost|auth|http)\/|config\.)/.test(path))).toBe(
      false,
    );
  });

  test.each(subpaths)("%s gives what the contract names, in plain Node", async (subpath) => {
    const script = `const all = await import(${JSON.stringify(subpath)}); console.log(JSON.stringify(Object.keys(all)))`;
    const { stdout } = await run("node", ["--input-type=module", "-e", script], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual(expect.arrayContaining(namesOf(subpath)));
  });

  test("works: an amount and a payment go there and back", async () => {
    const script = `
      import { formatHBD, parseHBD, encodePayment, decodePayment } from "hivegate/x402";
      const signedTransaction = { ref_block_num: 1, ref_block_prefix: 1, expiration: "", operations: [], extensions: [], signatures: [] };
      const payment = { x402Version: 1, scheme: "exact", network: "chain:mainnet", payload: { signedTransaction, nonce: "n" } };
      console.log(JSON.stringify([parseHBD(formatHBD(0.05)), decodePayment(encodePayment(payment)).payload.nonce]));
    `;
    const { stdout } = await run("node", ["--input-type=module", "-e", script], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual([0.05, "n"]);
  });

  test("its types fit the use of every subpath, without skipping the library's own", async () => {
    // Kept as text, because these names resolve only where the package is installed.
    const source = join(root, "tests/data/package-consumer/use-every-subpath.ts.txt");
    await cp(source, join(folder, "src/use-every-subpath.ts"));
    const options = {
      strict: true,
      module: "NodeNext",
      target: "ES2022",
      lib: ["ES2023", "DOM", "DOM.Iterable"],
      types: ["node"],
      esModuleInterop: true,
      skipLibCheck: false,
      noEmit: true,
    };
    await writeFile(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions: options, include: ["src"] }),
    );
    const checked = await run(join(root, "node_modules/.bin/tsc"), ["-p", folder], { cwd: folder }).catch(
      (error: { stdout: string }) => error,
    );
    expect(checked.stdout).toBe("");
  }, 120_000);
});

describe("the client in a browser", () => {
  const bundle = async () => {
    const result = await build({
      stdin: {
        contents: `export { createPayingFetch, signPayment, parseRequirements } from "hivegate/client";`,
        resolveDir: folder,
      },
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "browser",
      minify: true,
      write: false,
      outdir: "out",
      metafile: true,
    });
    const [first] = Object.entries(result.metafile.outputs).filter(
      ([, { entryPoint }]) => entryPoint === "<stdin>",
    );
    return { inputs: Object.keys(result.metafile.inputs), first: first?.[1], result };
  };

  test("needs nothing of Node, nor dhive, nor zod", async () => {
    const { inputs } = await bundle();
    expect(inputs.filter((path) => /@hiveio|node_modules\/zod|undici|secp256k1\/|libsql/.test(path))).toEqual(
      [],
    );
  });

  test("loads the curve only when it signs, and is small until then", async () => {
    const { first } = await bundle();
    expect(Object.keys(first?.inputs ?? {}).filter((path) => path.includes("@noble/curves"))).toEqual([]);
    expect(first?.bytes).toBeLessThan(20_000);
  });
});

test("the repository's own name for itself resolves to the same subpaths", async () => {
  const { exports } = JSON.parse(await readFile("package.json", "utf8")) as {
    exports: Record<string, unknown>;
  };
  expect(Object.keys(exports).sort()).toEqual(
    ["./package.json", "./chat", ...subpaths.map((subpath) => subpath.replace(/^hivegate/, "."))].sort(),
  );
});
