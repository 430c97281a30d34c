import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "#lib/x402/canonical-json.ts";
import { argumentText } from "#lib/x402/mcp/argument-text.ts";

class Point {
  readonly #x: number;
  constructor(x: number) {
    this.#x = x;
  }
  get x() {
    return this.#x;
  }
}

/** Values of few kinds and contents, so that equal and nearly equal ones are common. */
const { value: anything } = fc.letrec<{ value: unknown }>((tie) => {
  const leaf = fc.constantFrom<unknown>(
    ...[null, undefined, true, "", "1", "1n", "NaN", "null", "[]", 0, -0, 1, 1n, -1n, Number.NaN],
    ...[Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, "new Date(1)", "1970-01-01T00:00:00.001Z"],
  );
  const inside = fc.array(tie("value"), { maxLength: 2 });
  const made = fc.oneof(
    fc.constantFrom(0, 1, 2).map((ms) => new Date(ms)),
    fc.constantFrom([], [1], [49]).map((bytes) => Uint8Array.from(bytes)),
    fc.constantFrom([], [1], [49]).map((bytes) => Int8Array.from(bytes)),
    fc.constantFrom([], [1], [49]).map((bytes) => Buffer.from(bytes)),
    fc.constantFrom("http://a/", "http://b/").map((text) => new URL(text)),
    inside,
    inside.map((parts) => new Set(parts)),
    inside.map((parts) => new Map(parts.map((part, index) => [part, parts[index - 1]]))),
    fc.dictionary(fc.constantFrom("", "a", "0", "__proto__"), tie("value"), {
      ...{ maxKeys: 2, noNullPrototype: true },
    }),
  );
  return { value: fc.oneof({ depthSize: "small", withCrossShrink: true }, leaf, made) };
});

describe("the text of a tool's arguments", () => {
  test("is canonical JSON for values of JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const given: unknown = JSON.parse(JSON.stringify(value));
        expect(argumentText(given)).toBe(canonicalJson(given));
      }),
    );
  });

  test("differs for unequal values", () => {
    fc.assert(
      fc.property(anything, anything, (one, other) => {
        if (!isDeepStrictEqual(one, other)) expect(argumentText(one)).not.toBe(argumentText(other));
      }),
      { numRuns: 5000 },
    );
  });

  test("is the same for copies, whatever the order of their keys", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), anything), { maxLength: 3 }), (entries) => {
        const one = Object.fromEntries(new Map(entries));
        const other = Object.fromEntries([...new Map(entries)].reverse());
        expect(argumentText(other)).toBe(argumentText(one));
      }),
    );
  });

  const loop: unknown[] = [];
  loop.push(loop);
  test.each<[string, unknown, string]>([
    ["an instance without toJSON", { at: [new Point(1)] }, "the argument at.0 .* an instance of Point"],
    ["a function", { load: () => {} }, "the argument load .* a function"],
    ["a symbol", { kind: Symbol("kind") }, "the argument kind .* a symbol"],
    ["a search", { query: new URLSearchParams("a=1") }, "the argument query .* URLSearchParams"],
    ["a pattern", { like: /a/ }, "the argument like .* an instance of RegExp"],
    ["an array with holes", { list: new Array(2) }, "the argument list .* an array with holes"],
    ["a set of another class", { ids: new (class Ids extends Set {})() }, "the argument ids .* of Ids"],
    ["a value within itself", { loop }, "the argument loop.0 .* part of itself"],
  ])("does not exist for %s, and the error names the argument", (_what, given, message) => {
    expect(() => argumentText(given)).toThrow(new RegExp(message));
  });
});
