import { gzipSync } from "node:zlib";
import fc, { type Arbitrary } from "fast-check";
import { hostileText } from "./hostile-texts.ts";

const deep = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
const deepObject = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

/** JSON values that no schema expects, as Latin-1 text like all bodies. */
const oddValues = fc.oneof(
  fc.constantFrom(
    "null",
    "true",
    "-0",
    "1e999",
    "1e-999",
    "12345678901234567890",
    '""',
    "[]",
    "{}",
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '"\\u0000"',
    '"\xed\xa0\x80"',
    '"\xff"',
    '{"__proto__":{"isAdmin":true}}',
    '{"constructor":{"prototype":{"x":1}}}',
    '{"toString":1,"valueOf":1,"length":-1}',
    deep(3000),
    deepObject(3000),
    // The nesting is as deep as 32 KiB allow, which is deeper than the stack of a recursive reader.
    deep(15_000),
    deepObject(5000),
    `"${"x".repeat(20_000)}"`,
    `[${"1,".repeat(2000)}1]`,
  ),
  hostileText.map((text) => JSON.stringify(text)),
);

/** A complete JSON document of odd values. */
export const hostileJson: Arbitrary<string> = fc.oneof(
  oddValues,
  fc.array(oddValues, { maxLength: 4 }).map((values) => `[${values.join(",")}]`),
);

/** A text that no valid body contains. */
const MARK = "\u0001mark";

/** Returns the paths of all values within a JSON value, outermost first. */
function placesIn(value: unknown, place: readonly string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const own = [...place, name];
    return [own, ...placesIn(inner, own)];
  });
}

function replaceAt(json: string, place: readonly string[], odd: string): string {
  const whole = JSON.parse(json) as Record<string, unknown>;
  let holder = whole;
  for (const name of place.slice(0, -1)) holder = holder[name] as Record<string, unknown>;
  holder[place.at(-1) ?? ""] = MARK;
  return JSON.stringify(whole).replace(JSON.stringify(MARK), () => odd);
}

/** Valid JSON with one odd value or one additional field. */
export function oneOddPlace(json: string): Arbitrary<string> {
  const added = fc.constantFrom("__proto__", "constructor", "other");
  const more = fc
    .tuple(added, oddValues)
    .map(([name, odd]) =>
      json.replace("{", () => (json === "{}" ? `{"${name}":${odd}` : `{"${name}":${odd},`)),
    );
  const places = placesIn(JSON.parse(json));
  if (places.length === 0) return more;
  const within = fc
    .tuple(fc.constantFrom(...places), oddValues)
    .map(([place, odd]) => replaceAt(json, place, odd));
  return fc.oneof({ weight: 5, arbitrary: within }, { weight: 1, arbitrary: more });
}

const torn = (json: string) =>
  fc.integer({ min: 0, max: Math.max(0, json.length - 1) }).map((end) => json.slice(0, end));

/** A body for a route whose valid body is given as JSON (null: it has none). */
export function bodyOf(json: string | null): Arbitrary<string> {
  const good = json ?? "{}";
  return fc.oneof(
    { weight: json === null ? 8 : 1, arbitrary: fc.constant("") },
    { weight: 4, arbitrary: fc.constant(good) },
    { weight: 5, arbitrary: oneOddPlace(good) },
    { weight: 1, arbitrary: hostileJson },
    { weight: 1, arbitrary: torn(good) },
    { weight: 1, arbitrary: fc.constant(gzipSync(good).toString("latin1")) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("\xef\xbb\xbf{}", "a".repeat(70_000), "--x\r\n\r\n--x--", "\x00"),
    },
  );
}
