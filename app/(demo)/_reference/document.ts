/** The parts of an OpenAPI document that the reference shows. */

export type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  examples?: unknown[];
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
};

type MediaType = { schema?: Schema; example?: unknown; examples?: Record<string, { value: unknown }> };

export type Answer = {
  description: string;
  content: Record<string, MediaType>;
  "x-codes"?: string[];
};

type Parameter = { name: string; in: string; required: boolean; description?: string; schema: Schema };

export type Operation = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: Array<Record<string, unknown>>;
  "x-rate-limits"?: string[];
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Record<string, MediaType> };
  responses: Record<string, Answer>;
};

export type ApiDocument = {
  info: { description: string };
  servers: Array<{ url: string }>;
  tags: Array<{ name: string; description: string; "x-displayName": string }>;
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    securitySchemes: Record<string, { description: string }>;
  };
  "x-error-codes": Array<{ code: string; status: number; text: string }>;
  "x-payment-codes": Array<{ code: string; status: number; text: string; remedy: string }>;
  "x-payment-error-codes": Array<{ code: string; text: string; remedy: string }>;
};

/** Returns the type of a value in a few words: `string`, `User[]`, `"O" | "P"`. */
export function typeOf(schema: Schema): string {
  if (schema.$ref) return schema.$ref.split("/").at(-1) ?? "";
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(" | ");
  if (schema.type === "array") return `${schema.items ? typeOf(schema.items) : "any"}[]`;
  return [schema.type ?? "any"].flat().join(" | ");
}

const inEnglish = (count: number) => count.toLocaleString("en");

/** Returns the other properties of a value: description, limits, pattern, default. */
export function detailsOf(schema: Schema): string {
  const { description, minimum, maximum, minLength, maxLength, default: usual, pattern } = schema;
  const isBounded = minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  return [
    description,
    isBounded && minimum > Number.MIN_SAFE_INTEGER
      ? `${inEnglish(minimum)} to ${inEnglish(maximum)}`
      : undefined,
    minLength ? "not empty" : undefined,
    maxLength === undefined ? undefined : `at most ${inEnglish(maxLength)} characters`,
    pattern && `matches \`${pattern}\``,
    usual === undefined ? undefined : `default \`${JSON.stringify(usual)}\``,
  ]
    .filter(Boolean)
    .join("; ");
}

/**
 * Returns a content's first media type, its schema, and its examples by name. A single example has an empty
 * name.
 */
export function contentOf(content: Record<string, MediaType>) {
  const [mediaType = "", { schema, example, examples = {} } = {}] = Object.entries(content)[0] ?? [];
  const named = Object.entries(examples).map(([name, { value }]) => ({ name, value }));
  return { mediaType, schema, examples: example === undefined ? named : [{ name: "", value: example }] };
}

/** Returns a command line that sends an operation's request. */
export function curlOf(server: string, method: string, path: string, operation: Operation): string {
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => `$${name}`);
  const query = operation.parameters
    .filter((parameter) => parameter.in === "query" && parameter.required)
    .map(({ name, schema }) => `${name}=${schema.examples?.[0] ?? "…"}`)
    .join("&");
  const [body] = operation.requestBody ? contentOf(operation.requestBody.content).examples : [];
  const [scheme] = operation.security.flatMap(Object.keys);
  return [
    `curl ${method === "get" ? "" : `-X ${method.toUpperCase()} `}"${server}${address}${query && `?${query}`}"`,
    ...(scheme ? [`-H "authorization: Bearer $${scheme === "metrics" ? "METRICS_TOKEN" : "TOKEN"}"`] : []),
    ...(body ? ["-H 'content-type: application/json'", `-d '${JSON.stringify(body.value)}'`] : []),
  ].join(" \\\n  ");
}

/** Returns the fields of a schema, or of the schema that it refers to. */
export function fieldsOf(schema: Schema, schemas: Record<string, Schema>) {
  const named = schema.$ref ? schemas[typeOf(schema)] : schema;
  const required = new Set(named?.required);
  return Object.entries(named?.properties ?? {}).map(([name, field]) => ({
    name,
    isRequired: required.has(name),
    type: typeOf(field),
    details: detailsOf(field),
  }));
}

export type Entry = { path: string; method: string; operation: Operation };

/** Groups the operations by tag, in the document's order. */
export function groupOperations(paths: ApiDocument["paths"]): Map<string, Entry[]> {
  const groups = new Map<string, Entry[]>();
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags[0] ?? "";
      groups.set(tag, [...(groups.get(tag) ?? []), { path, method, operation }]);
    }
  return groups;
}
