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
  rootDir: "lib",
};

/**
 * Writes the declarations of the library to `folder`, for `import` and for `require`: one file per entry, and the
 * referenced ones under `types`. They contain no schemas, because their types are written out.
 */
export function writeDeclarations(entryPoints: Readonly<Record<string, string>>, folder: string): void {
  const program = ts.createProgram(Object.values(entryPoints), compilerOptions);
  const texts = emit(program);
  const roots = Object.entries(entryPoints).map(([name, file]) => [name, declarationOf(file)] as const);
  for (const file of reachable(
    texts,
    roots.map(([, file]) => file),
  ))
    write(join(folder, "types", file), texts.get(file) ?? "");
  for (const [name, file] of roots) {
    const target = `./types/${file.replace(/\.d\.ts$/, ".ts")}`;
    write(join(folder, `${name}.d.ts`), `export * from "${target}";\n`);
  }
}

/** Returns the declarations by their path under `lib`. */
function emit(program: ts.Program): Map<string, string> {
  const texts = new Map<string, string>();
  const checker = program.getTypeChecker();
  const faults = ts.getPreEmitDiagnostics(program);
  const { diagnostics } = program.emit(
    undefined,
    (path, text) => void texts.set(relative("lib", path), text),
    undefined,
    true,
    { afterDeclarations: [withoutSchemas(checker)] },
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

/** Removes schemas, and writes out the types that are inferred from them or translated to camelCase. */
function withoutSchemas(checker: ts.TypeChecker): ts.TransformerFactory<ts.SourceFile | ts.Bundle> {
  const simplify = (statement: ts.Statement, schemas: ReadonlySet<string>): ts.Statement | undefined => {
    if (ts.isImportDeclaration(statement))
      return (statement.moduleSpecifier as ts.StringLiteral).text === "zod" ? undefined : statement;
    if (ts.isVariableStatement(statement)) return namesZod(statement) ? undefined : statement;
    if (!ts.isTypeAliasDeclaration(statement)) return statement;
    if (!isWorkedOut(statement, schemas) && !isTranslated(statement)) return statement;
    const source = ts.getOriginalNode(statement) as ts.TypeAliasDeclaration;
    const alias = ts.factory.createTypeAliasDeclaration(
      statement.modifiers,
      statement.name,
      statement.typeParameters,
      plainType(checker, checker.getTypeAtLocation(source.name)),
    );
    // The comment is on the schema of the same name.
    const symbol = checker.getSymbolAtLocation(source.name);
    const comment = ts.displayPartsToString(symbol?.getDocumentationComment(checker));
    return comment === "" ? alias : commented(alias, comment);
  };
  return () => (file) => {
    if (!ts.isSourceFile(file)) return file;
    const schemas = new Set(file.statements.flatMap(schemaNames));
    const statements = file.statements.flatMap((statement) => simplify(statement, schemas) ?? []);
    return ts.factory.updateSourceFile(file, withoutUnusedImports(statements), true);
  };
}

function schemaNames(statement: ts.Statement): string[] {
  if (!ts.isVariableStatement(statement) || !namesZod(statement)) return [];
  return statement.declarationList.declarations.map(({ name }) => (ts.isIdentifier(name) ? name.text : ""));
}

/** Returns true if a type is inferred from a schema. */
function isWorkedOut(node: ts.Node, schemas: ReadonlySet<string>): boolean {
  if (ts.isTypeQueryNode(node) && ts.isIdentifier(node.exprName) && schemas.has(node.exprName.text))
    return true;
  return namesZod(node) || contains(node, (child) => isWorkedOut(child, schemas));
}

/** Returns true if a type is a wire type with its fields in camelCase. */
const isTranslated = ({ type }: ts.TypeAliasDeclaration): boolean =>
  ts.isTypeReferenceNode(type) && ts.isIdentifier(type.typeName) && type.typeName.text === "CamelCased";

function withoutUnusedImports(statements: readonly ts.Statement[]): ts.Statement[] {
  const others = statements.filter((statement) => !ts.isImportDeclaration(statement));
  const isUsed = (name: string) => others.some((statement) => mentions(statement, name));
  return statements.filter((statement) => {
    if (!ts.isImportDeclaration(statement) || !statement.importClause) return true;
    return importedNames(statement.importClause).some(isUsed);
  });
}

function importedNames(clause: ts.ImportClause): string[] {
  const named = clause.namedBindings;
  const elements = named ? (ts.isNamespaceImport(named) ? [named] : named.elements) : [];
  return [clause, ...elements].flatMap(({ name }) => (name ? [name.text] : []));
}

const mentions = (node: ts.Node, name: string): boolean =>
  (ts.isIdentifier(node) && node.text === name) || contains(node, (child) => mentions(child, name));

const contains = (node: ts.Node, isSought: (child: ts.Node) => boolean): boolean =>
  ts.forEachChild(node, (child) => isSought(child) || undefined) ?? false;

/** Returns true if a node mentions `z.…`. */
function namesZod(node: ts.Node): boolean {
  if (ts.isQualifiedName(node) && ts.isIdentifier(node.left) && node.left.text === "z") return true;
  return contains(node, namesZod);
}

const specifiers = /(\bfrom |\bimport\()"(\.[^"]+)"/g;

function reachable(texts: ReadonlyMap<string, string>, roots: readonly string[]): Set<string> {
  const found = new Set(roots);
  for (const file of found)
    for (const [, , specifier = ""] of (texts.get(file) ?? "").matchAll(specifiers))
      found.add(declarationOf(posix.join("lib", dirname(file), specifier)));
  return found;
}

const declarationOf = (file: string) => file.replace(/^lib\//, "").replace(/\.ts$/, ".d.ts");

const peers = Object.keys(optionalPeers).join("|");
const peerUse = new RegExp(
  `^(?=(?:import|export) .* from "(?:${peers})(?:/[^"]*)?";$|declare module "(?:${peers})")`,
  "gm",
);

/** Replaces a framework's types by `any` if the framework is not installed, and leaves all others unchanged. */
function write(path: string, text: string): void {
  const named = text.replace(peerUse, "// @ts-ignore\n");
  const withExtension = (extension: string) =>
    named.replace(specifiers, (_all, before: string, specifier: string) => {
      return `${before}"${specifier.replace(/\.ts$/, extension)}"`;
    });
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, withExtension(".js"));
  writeFileSync(path.replace(/\.ts$/, ".cts"), withExtension(".cjs"));
}

const { factory } = ts;
const leaf =
  ts.TypeFlags.Any |
  ts.TypeFlags.Unknown |
  ts.TypeFlags.StringLike |
  ts.TypeFlags.NumberLike |
  ts.TypeFlags.BigIntLike |
  ts.TypeFlags.BooleanLike |
  ts.TypeFlags.VoidLike |
  ts.TypeFlags.Null |
  ts.TypeFlags.Never;

/** Writes out a data type down to the last field, with all comments, so that it needs no schema. */
function plainType(checker: ts.TypeChecker, type: ts.Type): ts.TypeNode {
  const plain = (part: ts.Type) => plainType(checker, part);
  if (type.flags & leaf) return leafType(checker, type);
  if (type.isUnion()) return factory.createUnionTypeNode(withWholeBoolean(checker, type.types).map(plain));
  if (type.isIntersection()) return factory.createIntersectionTypeNode(type.types.map(plain));
  const parts = checker.getTypeArguments(type as ts.TypeReference);
  if (checker.isTupleType(type)) return factory.createTupleTypeNode(parts.map(plain));
  if (checker.isArrayType(type))
    return factory.createTypeReferenceNode(type.symbol.name, [plain(parts[0] as ts.Type)]);
  if (type.getCallSignatures().length > 0) return leafType(checker, type);
  const indexes = checker
    .getIndexInfosOfType(type)
    .map(({ keyType, type: value, isReadonly }) =>
      factory.createIndexSignature(
        isReadonly ? [factory.createModifier(ts.SyntaxKind.ReadonlyKeyword)] : undefined,
        [factory.createParameterDeclaration(undefined, undefined, "key", undefined, plain(keyType))],
        plain(value),
      ),
    );
  const fields = type.getProperties().map((symbol) => {
    const isOptional = (symbol.flags & ts.SymbolFlags.Optional) !== 0;
    const field = factory.createPropertySignature(
      undefined,
      /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(symbol.name)
        ? symbol.name
        : factory.createStringLiteral(symbol.name),
      isOptional ? factory.createToken(ts.SyntaxKind.QuestionToken) : undefined,
      plain(checker.getTypeOfSymbol(symbol)),
    );
    const comment = ts.displayPartsToString(symbol.getDocumentationComment(checker));
    return comment === "" ? field : commented(field, comment);
  });
  return factory.createTypeLiteralNode([...fields, ...indexes]);
}

function leafType(checker: ts.TypeChecker, type: ts.Type): ts.TypeNode {
  const node = checker.typeToTypeNode(type, undefined, ts.NodeBuilderFlags.NoTruncation);
  if (!node) throw new Error(`no way to write ${checker.typeToString(type)}`);
  return node;
}

/** Merges `true` and `false`, into which a union splits `boolean`. */
function withWholeBoolean(checker: ts.TypeChecker, types: readonly ts.Type[]): ts.Type[] {
  const isHalf = ({ flags }: ts.Type) => (flags & ts.TypeFlags.BooleanLiteral) !== 0;
  if (types.filter(isHalf).length < 2) return [...types];
  return [...types.filter((type) => !isHalf(type)), checker.getBooleanType()];
}

/** Puts a comment in front of a declaration. */
function commented<N extends ts.Node>(node: N, comment: string): N {
  const text = `* ${comment.replaceAll("\n", " ")} `;
  return ts.addSyntheticLeadingComment(node, ts.SyntaxKind.MultiLineCommentTrivia, text, true);
}
