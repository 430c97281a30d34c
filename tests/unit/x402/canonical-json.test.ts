import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "../../../lib/x402/canonical-json.ts";

/** Returns the same value with the keys of its objects in reverse order. */
const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, part]) => [key, reversed(part)]),
  );
};

describe("canonical JSON", () => {
  test("is the same for a value whose keys come in another order", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => canonicalJson(reversed(value)) === canonicalJson(value)),
    );
  });

  test("differs for unequal values", () => {
    const few = fc.jsonValue({ maxDepth: 2, stringUnit: fc.constantFrom("", "0", "[", '"') });
    fc.assert(
      fc.property(few, few, (one, other) => {
        // JSON writes -0 as 0.
        const [a, b]: unknown[] = [one, other].map((value) => JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(a) === canonicalJson(b)).toBe(isDeepStrictEqual(a, b));
      }),
      { numRuns: 2000 },
    );
  });
});
