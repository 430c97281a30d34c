/** The parts of an OpenAPI document that the reference shows. */

export type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
};

type Content = Record<string, { schema?: Schema }>;

export type Operation = {
  operationId: string;
  summary: string;
  tags: string[];
  security: unknown[];
  parameters: Array<{ name: string; in: string; required: boolean; schema: Schema }>;
  requestBody?: { content: Content };
  responses: Record<string, { description: string; content: Content }>;
};

export type ApiDocument = {
  servers: Array<{ url: string }>;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
  "x-error-codes": Array<{ code: string; status: number; text: string }>;
};

/** The type of a value in a few words: `string`, `User[]`, `"O" | "P"`. */
export function typeOf(schema: Schema): string {
  if (schema.$ref) return schema.$ref.split("/").at(-1) ?? "";
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" | ");
  if (schema.type === "array") return `${schema.items ? typeOf(schema.items) : "any"}[]`;
  return [schema.type ?? "any"].flat().join(" | ");
}

/** What else holds for a value: limits, pattern, default, and what it means. */
export function detailsOf({ description, minimum, maximum, default: usual, pattern }: Schema): string {
  const isBounded = minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  return [
    description,
    isBounded && minimum > Number.MIN_SAFE_INTEGER ? `${minimum} to ${maximum}` : undefined,
    pattern && `matches ${pattern}`,
    usual === undefined ? undefined : `default ${JSON.stringify(usual)}`,
  ]
    .filter(Boolean)
    .join("; ");
}

/** The schema of a content, and the name of its media type. */
export function contentOf(content: Content): { mediaType: string; schema: Schema | undefined } {
  const [mediaType = "", entry] = Object.entries(content)[0] ?? [];
  return { mediaType, schema: entry?.schema };
}

/** A value that fits the schema, for examples. */
function exampleOf(schema: Schema): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf?.[0]) return exampleOf(schema.anyOf[0]);
  if (schema.type === "object")
    return Object.fromEntries(
      Object.entries(schema.properties ?? {})
        .filter(([name]) => schema.required?.includes(name))
        .map(([name, value]) => [name, exampleOf(value)]),
    );
  if (schema.type === "array") return [];
  if (schema.type === "boolean") return true;
  return schema.type === "number" || schema.type === "integer" ? 1 : "…";
}

/** A command line that makes the request. */
export function curlOf(server: string, method: string, path: string, operation: Operation): string {
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => `$${name}`);
  const query = operation.parameters
    .filter((parameter) => parameter.in === "query" && parameter.required)
    .map(({ name }) => `${name}=…`)
    .join("&");
  const body = operation.requestBody && contentOf(operation.requestBody.content).schema;
  return [
    `curl ${method === "get" ? "" : `-X ${method.toUpperCase()} `}"${server}${address}${query && `?${query}`}"`,
    ...(operation.security.length > 0 ? ['-H "authorization: Bearer $TOKEN"'] : []),
    ...(body ? ["-H 'content-type: application/json'", `-d '${JSON.stringify(exampleOf(body))}'`] : []),
  ].join(" \\\n  ");
}

export type Entry = { path: string; method: string; operation: Operation };

/** The operations by their tag, in the document's order. */
export function groupOperations(paths: ApiDocument["paths"]): Map<string, Entry[]> {
  const groups = new Map<string, Entry[]>();
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags[0] ?? "";
      groups.set(tag, [...(groups.get(tag) ?? []), { path, method, operation }]);
    }
  return groups;
}
