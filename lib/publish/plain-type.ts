import ts from "typescript";

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

/** Writes a type of data out, down to its last field, so that no schema is needed to read it; comments stay. */
export function plainType(checker: ts.TypeChecker, type: ts.Type): ts.TypeNode {
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

/** In a union `boolean` is two types. */
function withWholeBoolean(checker: ts.TypeChecker, types: readonly ts.Type[]): ts.Type[] {
  const isHalf = ({ flags }: ts.Type) => (flags & ts.TypeFlags.BooleanLiteral) !== 0;
  if (types.filter(isHalf).length < 2) return [...types];
  return [...types.filter((type) => !isHalf(type)), checker.getBooleanType()];
}

/** Puts a comment before a declaration. */
export function commented<N extends ts.Node>(node: N, comment: string): N {
  const text = `* ${comment.replaceAll("\n", " ")} `;
  return ts.addSyntheticLeadingComment(node, ts.SyntaxKind.MultiLineCommentTrivia, text, true);
}
