import type { ZodType, z } from "zod";
import { CodedError } from "../errors.ts";

/** The limit for routes that declare none. */
export const BODY_LIMIT_BYTES = 65_536;

/**
 * Parses a value of the caller.
 * @throws CodedError `invalid_request` with the issues
 */
export function validate<T extends ZodType>(schema: T, value: unknown): z.infer<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => ({
    path: path.map(String).join("."),
    message,
  }));
  throw new CodedError("invalid_request", { issues });
}
