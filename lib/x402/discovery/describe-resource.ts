import { assertKnown } from "../check-options.ts";
import type { Declaration } from "./answers.ts";
import { BAZAAR } from "./bazaar.ts";
import { isValidInfo } from "./check-info.ts";
import { readDeclaration } from "./declaration.ts";
import type { ServiceMetadata } from "./service-metadata.ts";

type JsonSchema = Record<string, unknown>;

/** A JSON Schema, or a schema of zod 4.2 or another library that converts itself (Standard JSON Schema). */
export type DescribedShape =
  | JsonSchema
  | {
      readonly "~standard": {
        readonly jsonSchema: Readonly<
          Record<"input" | "output", (options: { target: "draft-2020-12" }) => JsonSchema>
        >;
      };
    };

/** Lists a resource in the facilitator's catalogue once it was paid for, and describes it there and in 402 answers. */
export type Discoverable = ServiceMetadata & {
  /** The fields of the query, or of the JSON body of POST, PUT and PATCH; requires `example`. */
  input?: DescribedShape;
  /** Example values of these fields. */
  example?: Record<string, unknown>;
  output?: {
    /** The kind of content (default `json`). */
    type?: string;
    shape?: DescribedShape;
    example?: unknown;
  };
};

const known = {
  input: true,
  example: true,
  output: true,
  serviceName: true,
  tags: true,
  iconUrl: true,
} as const satisfies Record<keyof Discoverable, true>;
const knownOfOutput = { type: true, shape: true, example: true } as const satisfies Record<
  keyof NonNullable<Discoverable["output"]>,
  true
>;

const DIALECT = "https://json-schema.org/draft/2020-12/schema";
const ofQuery = ["GET", "DELETE"] as const;
const ofBody = ["POST", "PUT", "PATCH"] as const;

/**
 * Returns the extensions of a resource by request method; `null` for a method that cannot be listed.
 * @throws TypeError if the examples do not match their shapes
 */
export type ResourceDescription = (method: string) => Promise<{ [BAZAAR]: Declaration } | null>;

/**
 * Checks everything but the examples at once, and the examples at the first request. @throws TypeError that names
 * the fault
 */
export function describeResource(discoverable: Discoverable): ResourceDescription {
  assertKnown(discoverable, known, "discoverable");
  const { input, example, output } = discoverable;
  if (output) assertKnown(output, knownOfOutput, "discoverable.output");
  if (input && example === undefined)
    throw new TypeError("discoverable.example is required beside discoverable.input");
  const described = new Map<string, { [BAZAAR]: Declaration }>();
  for (const method of [...ofQuery, ...ofBody]) {
    const extensions = { [BAZAAR]: declarationFor(method, discoverable) };
    if (!readDeclaration(extensions))
      throw new TypeError("discoverable may have up to 8 KiB in all, and no references to other documents");
    described.set(method, extensions);
  }
  let areMatching: Promise<boolean> | undefined;
  return async (method) => {
    areMatching ??= areValid([...described.values()]);
    if (!(await areMatching)) throw new TypeError("discoverable must have examples that match its shapes");
    return described.get(method === "HEAD" ? "GET" : method) ?? null;
  };
}

const areValid = async (described: Array<{ [BAZAAR]: Declaration }>): Promise<boolean> =>
  (await Promise.all(described.map(({ bazaar }) => isValidInfo(bazaar)))).every(Boolean);

function declarationFor(
  method: (typeof ofQuery)[number] | (typeof ofBody)[number],
  { input, example, output }: Discoverable,
): Declaration {
  const fields = input ? jsonSchemaOf(input, "input") : { type: "object" };
  const isQuery = (ofQuery as readonly string[]).includes(method);
  const place = isQuery ? "queryParams" : "body";
  const given = example ?? (isQuery ? undefined : {});
  const properties = {
    type: { type: "string", const: "http" },
    method: { type: "string", enum: [method] },
    ...(!isQuery && { bodyType: { type: "string", enum: ["json"] } }),
    ...(given && { [place]: fields }),
  };
  const info = {
    input: {
      ...{ type: "http", method },
      ...(!isQuery && { bodyType: "json" }),
      ...(given && { [place]: given }),
    },
    ...(output && {
      output: {
        type: output.type ?? "json",
        ...(output.example !== undefined && { example: output.example }),
      },
    }),
  };
  return {
    info: info as Declaration["info"],
    schema: {
      $schema: DIALECT,
      type: "object",
      properties: {
        input: {
          ...{ type: "object", properties, required: Object.keys(properties), additionalProperties: false },
        },
        ...(output && { output: outputSchema(output) }),
      },
      required: ["input"],
    },
  };
}

const outputSchema = ({ shape }: NonNullable<Discoverable["output"]>): JsonSchema => ({
  type: "object",
  properties: {
    type: { type: "string" },
    ...(shape && { example: jsonSchemaOf(shape, "output") }),
  },
  required: ["type"],
});

function jsonSchemaOf(shape: DescribedShape, side: "input" | "output"): JsonSchema {
  const standard = (shape as { "~standard"?: { jsonSchema?: unknown } })["~standard"];
  if (standard !== undefined && standard.jsonSchema === undefined)
    throw new TypeError("discoverable needs shapes that convert to JSON Schema, such as those of zod 4.2");
  const converted = standard
    ? (standard as { jsonSchema: Record<typeof side, (options: object) => JsonSchema> }).jsonSchema[side]({
        target: "draft-2020-12",
      })
    : (shape as JsonSchema);
  const { $schema: _dialect, "~standard": _standard, ...schema } = converted;
  return schema;
}
