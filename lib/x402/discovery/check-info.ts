type Json = Record<string, unknown>;

/** Maximum parts of a schema after its references are replaced: a chain of references can grow without end. */
const MOST_PARTS = 2000;
/** Maximum parts times values: each value may be checked against each part, and nothing else runs meanwhile. */
const MOST_CHECKS = 200_000;

const ofSchemas = new Set(["properties", "dependentSchemas"]);
const ofOne = new Set(["items", "additionalProperties", "not", "if", "then", "else", "contains"]);
const ofSeveral = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
/** Every other keyword is left out, above all a stranger's regular expressions, which can take forever. */
const ofValues = new Set([
  ...["type", "enum", "const", "required", "dependentRequired"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ...["minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains"],
  ...["minProperties", "maxProperties"],
]);

/**
 * Returns whether `info` matches `schema`, a JSON Schema from a stranger without references to other documents. The
 * validator is loaded on first use, because most sellers describe nothing.
 */
export async function isValidInfo({ info, schema }: { info: object; schema: Json }): Promise<boolean> {
  const { Validator } = await import("@cfworker/json-schema");
  try {
    return new Validator(insertReferences(schema, MOST_CHECKS / countValues(info)), "2020-12").validate(info)
      .valid;
  } catch {
    // A schema that cannot be read says nothing about its data.
    return false;
  }
}

/** Returns whether any part refers to another document, or takes a name to which others could refer. */
export function pointsOutside(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, part]) =>
    (key === "$ref" || key === "$id" || key === "$dynamicRef") && typeof part === "string"
      ? !part.startsWith("#")
      : pointsOutside(part),
  );
}

function countValues(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, part) => sum + countValues(part), 1);
}

/** Replaces each reference by what it refers to. @throws RangeError if the result has too many parts */
function insertReferences(root: Json, mostParts: number): Json {
  let parts = 0;
  const count = (more: number) => {
    parts += more;
    if (parts > Math.min(MOST_PARTS, mostParts)) throw new RangeError("the schema is too large");
  };
  const insert = (schema: unknown): unknown => {
    count(1);
    if (typeof schema !== "object" || schema === null) return schema;
    const { $ref, ...rest } = schema as Json;
    const plain = Object.fromEntries(
      Object.entries(rest).flatMap(([key, value]) => insertIn(key, value) ?? []),
    );
    if (typeof $ref !== "string") return plain;
    const target = insert(find(root, $ref));
    return Object.keys(plain).length === 0 ? target : { allOf: [target, plain] };
  };
  const insertIn = (key: string, value: unknown): [entry: [string, unknown]] | null => {
    if (ofValues.has(key)) {
      count(countValues(value));
      return [[key, value]];
    }
    if (ofOne.has(key)) return [[key, insert(value)]];
    if (ofSeveral.has(key) && Array.isArray(value)) return [[key, value.map(insert)]];
    if (!ofSchemas.has(key) || typeof value !== "object" || value === null) return null;
    return [[key, Object.fromEntries(Object.entries(value).map(([name, part]) => [name, insert(part)]))]];
  };
  return insert(root) as Json;
}

/** Follows a JSON Pointer. @throws Error if it leads nowhere */
function find(root: Json, pointer: string): unknown {
  const [, ...steps] = decodeURIComponent(pointer.slice(1)).split("/");
  return steps.reduce((value: unknown, step) => {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key))
      throw new Error("the reference leads nowhere");
    return (value as Json)[key];
  }, root);
}
