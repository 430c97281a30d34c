import ts from "typescript";
import { expect, test } from "vitest";

/**
 * A child of an element. A page translator replaces text nodes with new elements, and the page then fails
 * when it removes such a text or inserts an element before it. So a text that comes and goes, or whose
 * neighbours do, needs its own element.
 */
type Child = { node: ts.Node; isText: boolean; mayBeMissing: boolean; isBetween: boolean };

const { Any, StringLike, NumberLike, BigIntLike, BooleanLike, Null, Undefined, Void } = ts.TypeFlags;

function openPages(): ts.Program {
  const { config } = ts.readConfigFile("tsconfig.json", ts.sys.readFile);
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd());
  const pages = fileNames.filter((name) => /\/app\/|\.d\.ts$/.test(name));
  return ts.createProgram(pages, options);
}

const program = openPages();
const checker = program.getTypeChecker();

const isMeaningful = (node: ts.JsxChild) =>
  !(ts.isJsxText(node) && node.containsOnlyTriviaWhiteSpaces) &&
  !(ts.isJsxExpression(node) && !node.expression);

/**
 * Returns how a value of this type renders. `ReactNode` and `any` are left to the code that creates the
 * value.
 */
function look(node: ts.Node, type: ts.Type): Child {
  const isOpen = type.aliasSymbol?.name === "ReactNode" || (type.flags & Any) !== 0;
  const parts = isOpen ? [] : type.isUnion() ? type.types : [type];
  const isFalsy = (part: ts.Type) =>
    (part.flags & (Null | Undefined | BooleanLike | Void)) !== 0 ||
    (part.isStringLiteral() && part.value === "") ||
    (part.isNumberLiteral() && part.value === 0) ||
    (part.flags & BigIntLike) !== 0;
  const isText = parts.some((part) => !isFalsy(part) && (part.flags & (StringLike | NumberLike)) !== 0);
  const isElement = parts.some((part) => !isFalsy(part) && (part.flags & (StringLike | NumberLike)) === 0);
  return { node, isText, mayBeMissing: parts.some(isFalsy), isBetween: isElement };
}

function lookAt(node: ts.JsxChild): Child {
  if (ts.isJsxText(node)) return { node, isText: true, mayBeMissing: false, isBetween: false };
  if (ts.isJsxExpression(node) && node.expression)
    return look(node, checker.getTypeAtLocation(node.expression));
  const opening = ts.isJsxElement(node) ? node.openingElement : node;
  const signature = ts.isJsxOpeningLikeElement(opening) ? checker.getResolvedSignature(opening) : undefined;
  const isOwn = signature?.declaration?.getSourceFile()?.fileName.includes("/app/") === true;
  // A component's elements stay in place unless its type allows none, or text.
  if (signature && isOwn) return { ...look(node, signature.getReturnType()), isBetween: false };
  return { node, isText: false, mayBeMissing: false, isBetween: false };
}

function bareTextsIn(file: ts.SourceFile): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isJsxElement(node) || ts.isJsxFragment(node)) {
      const children = node.children.filter(isMeaningful).map(lookAt);
      const texts = children.filter(({ isText }) => isText);
      const isMoving = children.some(({ mayBeMissing, isBetween }) => mayBeMissing || isBetween);
      const isAlone = children.length === 1 && ts.isJsxElement(node);
      if (texts.length > 0 && isMoving && !isAlone) {
        const { line } = file.getLineAndCharacterOfPosition(node.getStart());
        const place = file.fileName.slice(process.cwd().length + 1);
        found.push(...texts.map((text) => `${place}:${line + 1} ${text.node.getText().trim()}`));
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

test("every text next to conditional elements is wrapped, so that page translators do not break the page", () => {
  const files = program.getSourceFiles().filter(({ fileName }) => /\/app\/.*\.tsx$/.test(fileName));
  expect(files.length).toBeGreaterThan(80);
  expect(files.flatMap(bareTextsIn)).toEqual([]);
});
