import { type ZodType, z } from "zod";
import { CodedError, type ErrorCode, errorTable } from "../errors.ts";
import { ACCOUNT_NAME, isAccountName } from "../hive/account-name.ts";
import { validate } from "../http/validate.ts";

/** The parts of a JSON schema from which examples are generated. */
export type Schema = {
  $ref?: string;
  type?: string | readonly string[];
  examples?: readonly unknown[];
  default?: unknown;
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Schema[];
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
};

export type Schemas = Readonly<Record<string, Schema>>;
export type Json = Record<string, unknown>;

const REQUEST_ID = "0f5c1f9e-3d0a-4c39-9d0c-2a4b6c8d0e1f";

/** Returns a value that fits the schema: the required fields, and the optional ones that have an example. */
export function exampleOf(schema: Schema, named: Schemas): unknown {
  if (schema.$ref !== undefined) return exampleOf(named[schema.$ref.split("/").at(-1) ?? ""] ?? {}, named);
  const given = schema.examples?.[0] ?? schema.const ?? schema.enum?.[0] ?? schema.default;
  if (given !== undefined) return given;
  if (schema.anyOf?.[0]) return exampleOf(schema.anyOf[0], named);
  if (schema.items) return [exampleOf(schema.items, named)];
  if (schema.properties || schema.type === "object") {
    const isShown = ([name, value]: [string, Schema]) => schema.required?.includes(name) || value.examples;
    const fields = Object.entries(schema.properties ?? {}).filter(isShown);
    return Object.fromEntries(fields.map(([name, value]) => [name, exampleOf(value, named)]));
  }
  if (schema.type === "boolean") return true;
  return schema.type === "number" || schema.type === "integer" ? 1 : "…";
}

/**
 * Returns the body of a refusal with the code. `faulty` is the schema whose violations `invalid_request`
 * lists.
 */
export function failureExample(code: ErrorCode, faulty?: ZodType): Json {
  const error = errorTable.find((row) => row.code === code)?.text;
  const issues = code === "invalid_request" && { issues: faulty ? faultsOf(faulty) : [] };
  return { error, code, requestId: REQUEST_ID, ...issues };
}

/**
 * Returns the first violation that the schema reports for an empty request, or for one with every field
 * wrong.
 */
function faultsOf(schema: ZodType): unknown[] {
  const { shape = {} } = schema as { shape?: Record<string, unknown> };
  const wrong = Object.fromEntries(Object.keys(shape).map((name) => [name, false]));
  for (const value of [{}, wrong])
    try {
      validate(schema, value);
    } catch (error) {
      if (error instanceof CodedError) return error.issues?.slice(0, 1) ?? [];
    }
  return [];
}

/** Text with an example. */
export const text = (example: string, description?: string) =>
  z.string().meta({ ...(description !== undefined && { description }), examples: [example] });
/** A whole number with an example. */
export const whole = (example: number) =>
  z
    .number()
    .int()
    .meta({ examples: [example] });
/** A time in Mattermost's format. */
export const ms = z
  .number()
  .int()
  .meta({ description: "milliseconds since 1970", examples: [1_767_225_600_000] });
/** A time in milliseconds since 1970, or 0 for never. */
export const zeroMs = (description: string) =>
  z
    .number()
    .int()
    .meta({ description, examples: [0] });
/** A time in JSON's format. */
export const isoTime = text("2026-01-01T00:00:00.000Z", "ISO 8601");

/** Mattermost's values for the notifications of a channel member. */
export const NotifyLevel = z.enum(["default", "all", "mention", "none"]).meta({
  description:
    "messages that notify while the channel is not muted; `default` uses the caller's general setting",
  examples: ["default"],
});
export type NotifyLevel = z.infer<typeof NotifyLevel>;

/** A schema with its description and an example. */
export const about = <T extends z.ZodType>(
  schema: T,
  description: string,
  example: unknown,
  more: object = {},
) => schema.meta({ description, examples: [example], ...more });

export const accountShape = { minLength: 3, maxLength: 16, pattern: ACCOUNT_NAME.source };

/** The name of a chain account. */
export const account = about(
  z.string().refine(isAccountName, "must be the name of a chain account"),
  "a chain account",
  "alice",
  accountShape,
);
