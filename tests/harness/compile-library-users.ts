import { join } from "node:path";
import ts from "typescript";
import { entries } from "../../lib/publish/manifest.ts";

const root = process.cwd();

/** Returns the library's public names, each with its source. */
function readSubpaths(): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(entries).map(([name, source]) => [
      name === "index" ? "hivegate" : `hivegate/${name}`,
      [join(root, source)],
    ]),
  );
}

const options: ts.CompilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  moduleDetection: ts.ModuleDetectionKind.Force,
  target: ts.ScriptTarget.ES2023,
  lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
  types: ["node"],
  jsx: ts.JsxEmit.ReactJSX,
  esModuleInterop: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
};

export type LibraryUsers = {
  /** Returns a file's faults, one line each. */
  faultsOf(file: string): string[];
  /** Returns the property names of a type that the library exports. */
  propertiesOf(subpath: string, type: string): string[];
  /** Returns the members of a union of strings that the library exports. */
  membersOf(subpath: string, type: string): string[];
};

/** Compiles texts as files of a project in which the library is installed. */
export function compileLibraryUsers(texts: ReadonlyMap<string, string>): LibraryUsers {
  const paths = readSubpaths();
  const files = new Map([...texts].map(([name, text]) => [join(root, name), text]));
  // This file refers to types by name, so that the checker loads them.
  const asking = join(root, "docs/asked-types.ts");
  files.set(
    asking,
    Object.keys(paths)
      .map((name, index) => `import * as all${index} from "${name}";`)
      .join("\n"),
  );
  const all = { ...options, paths };
  const host = ts.createCompilerHost(all);
  const { fileExists, readFile } = host;
  host.fileExists = (file) => files.has(file) || fileExists(file);
  host.readFile = (file) => files.get(file) ?? readFile(file);
  const program = ts.createProgram([...files.keys()], all, host);
  const checker = program.getTypeChecker();

  const typeOf = (subpath: string, name: string) => {
    const source = program.getSourceFile(paths[subpath]?.[0] ?? "");
    const module = source && checker.getSymbolAtLocation(source);
    const exported = module && checker.getExportsOfModule(module).find((symbol) => symbol.name === name);
    if (!exported) throw new Error(`${subpath} exports no ${name}`);
    const isAlias = exported.flags & ts.SymbolFlags.Alias;
    return checker.getDeclaredTypeOfSymbol(isAlias ? checker.getAliasedSymbol(exported) : exported);
  };

  return {
    faultsOf(file) {
      const source = program.getSourceFile(join(root, file));
      if (!source) throw new Error(`${file} was not compiled`);
      return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
        ({ start = 0, messageText }) => {
          const { line } = source.getLineAndCharacterOfPosition(start);
          return `line ${line + 1}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
        },
      );
    },
    propertiesOf(subpath, name) {
      const type = typeOf(subpath, name);
      const parts = type.isUnion() ? type.types : [type];
      return [...new Set(parts.flatMap((part) => checker.getPropertiesOfType(part).map((one) => one.name)))];
    },
    membersOf(subpath, name) {
      const type = typeOf(subpath, name);
      if (!type.isUnion()) throw new Error(`${name} is no union`);
      return type.types.flatMap((part) => (part.isStringLiteral() ? [part.value] : []));
    },
  };
}
