import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, posix, relative, resolve } from "node:path";
import ts from "typescript";
import { optionalPeers } from "./manifest.ts";

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  allowImportingTsExtensions: true,
  emitDeclarationOnly: true,
  declaration: true,
  skipLibCheck: true,
  esModuleInterop: true,
  types: ["node"],
  jsx: ts.JsxEmit.ReactJSX,
  rootDir: ".",
};

/**
 * Writes the declarations of the library to `folder`: two files per entry, for `import` and for `require`, and the
 * referenced ones under `types`. These are marked as CommonJS, which modules of both kinds can import.
 */
export function writeDeclarations(entryPoints: Readonly<Record<string, string>>, folder: string): void {
  const program = ts.createProgram(Object.values(entryPoints), compilerOptions);
  const texts = emit(program);
  const roots = Object.entries(entryPoints).map(([name, file]) => [name, declarationOf(file)] as const);
  for (const file of reachable(
    texts,
    roots.map(([, file]) => file),
  ))
    write(folder, file, texts.get(file) ?? "");
  writeFileSync(join(folder, "types", "package.json"), `${JSON.stringify({ type: "commonjs" })}\n`);
  for (const [name, file] of roots) {
    const text = `export * from "./types/${moduleOf(file)}";\n`;
    for (const extension of ["d.ts", "d.cts"]) writeFileSync(join(folder, `${name}.${extension}`), text);
  }
}

/** Returns the declarations by their path in the checkout. */
function emit(program: ts.Program): Map<string, string> {
  const texts = new Map<string, string>();
  const faults = ts.getPreEmitDiagnostics(program);
  const { diagnostics } = program.emit(
    undefined,
    (path, text) => void texts.set(relative(".", path), text),
    undefined,
    true,
  );
  const host = {
    getCanonicalFileName: (name: string) => name,
    getCurrentDirectory: () => resolve("."),
    getNewLine: () => "\n",
  };
  if (faults.length + diagnostics.length > 0)
    throw new Error(ts.formatDiagnostics([...faults, ...diagnostics], host));
  return texts;
}

const specifiers = /(\bfrom |\bimport\()"(\.[^"]+)"/g;

function reachable(texts: ReadonlyMap<string, string>, roots: readonly string[]): Set<string> {
  const found = new Set(roots);
  for (const file of found)
    for (const [, , specifier = ""] of (texts.get(file) ?? "").matchAll(specifiers))
      found.add(declarationOf(posix.join(dirname(file), specifier)));
  return found;
}

const declarationOf = (file: string) => file.replace(/\.tsx?$/, ".d.ts");

/** Returns the path of a declaration under `types`. */
const publishedPath = (file: string) => file.replace(/^lib\//, "").replace(/^app\/\(demo\)\/_/, "");

const moduleOf = (file: string) => publishedPath(file).replace(/\.d\.ts$/, ".js");

const peers = Object.keys(optionalPeers).join("|");
const peerUse = new RegExp(
  `^(?=(?:import|export) .* from "(?:${peers})(?:/[^"]*)?";$|declare module "(?:${peers})")`,
  "gm",
);

/** Replaces a framework's types by `any` if the framework is not installed, and leaves all others unchanged. */
function write(folder: string, file: string, text: string): void {
  const named = text.replace(peerUse, "// @ts-ignore\n");
  const published = named.replace(specifiers, (_all, before: string, specifier: string) => {
    const target = moduleOf(declarationOf(posix.join(dirname(file), specifier)));
    const path = posix.relative(dirname(publishedPath(file)), target);
    return `${before}"${path.startsWith(".") ? path : `./${path}`}"`;
  });
  const path = join(folder, "types", publishedPath(file));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, published);
}
