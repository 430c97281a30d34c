import { z } from "zod";
import type * as answers from "./answers.ts";
import { BAZAAR } from "./bazaar.ts";
import { isValidInfo, pointsOutside } from "./check-info.ts";

/** Maximum size of a declaration as JSON. */
const MOST_BYTES = 8192;
const MOST_LEVELS = 24;

const Text = z.string().max(256);
const Examples = z.record(z.string(), z.unknown());

const common = {
  type: z.literal("http"),
  pathParams: Examples.optional(),
  queryParams: Examples.optional(),
  headers: z.record(z.string(), z.string()).optional(),
};

const Input = z.union([
  z.strictObject({ ...common, method: z.enum(["GET", "HEAD", "DELETE"]) }),
  z.strictObject({
    ...common,
    method: z.enum(["POST", "PUT", "PATCH"]),
    bodyType: z.enum(["json", "form-data", "text"]),
    body: z.union([Examples, z.array(z.unknown()), z.string()]),
  }),
]);

const Output = z.strictObject({
  type: Text,
  format: Text.optional(),
  example: z.unknown().optional(),
});

export const Declaration = z.object({
  info: z.strictObject({ input: Input, output: Output.optional() }),
  schema: z.record(z.string(), z.unknown()),
  routeTemplate: z.string().optional(),
}) satisfies z.ZodType<answers.Declaration>;
type Declaration = answers.Declaration;

/**
 * Returns the declaration in a message's extensions, without checking it against its own schema; `null` if it is
 * too large, has another shape, or refers to other documents.
 */
export function readDeclaration(extensions: unknown): Declaration | null {
  const value = (extensions as { [BAZAAR]?: unknown } | null | undefined)?.[BAZAAR];
  if (!isSmall(value)) return null;
  const parsed = Declaration.safeParse(value);
  return parsed.success && !pointsOutside(parsed.data.schema) ? parsed.data : null;
}

/** Returns the declaration in a message's extensions if it matches its own schema; otherwise `null`. */
export async function readValidDeclaration(extensions: unknown): Promise<Declaration | null> {
  const declaration = readDeclaration(extensions);
  return declaration && (await isValidInfo(declaration)) ? declaration : null;
}

function isSmall(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !isShallow(value, MOST_LEVELS)) return false;
  return new TextEncoder().encode(JSON.stringify(value)).length <= MOST_BYTES;
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((part) => isShallow(part, levels - 1));
}
