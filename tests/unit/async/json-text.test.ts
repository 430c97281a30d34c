import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonText, writtenOnce } from "../../../lib/async/json-text.ts";

describe("JSON with values that are written once", () => {
  it("is the JSON of any object, with any of its properties marked, each time", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.oneof(fc.jsonValue(), fc.constant(undefined))),
        fc.func(fc.boolean()),
        (value, isMarked) => {
          const wanted = JSON.stringify(value);
          for (const [name, inner] of Object.entries(value))
            if (typeof inner === "object" && inner !== null && isMarked(name)) writtenOnce(inner);
          expect(JSON.parse(jsonText(value) ?? "")).toEqual(JSON.parse(wanted));
          expect(jsonText(value)).toBe(wanted);
          expect(jsonText(value)).toBe(wanted);
        },
      ),
    );
  });

  it.each([null, 1, "text", [{ a: 1 }], undefined, () => 1, new Date(0), { toJSON: () => ({ b: 2 }) }])(
    "is the JSON of %s",
    (value) => {
      expect(jsonText(value)).toBe(JSON.stringify(value));
    },
  );

  it("writes a marked value once", () => {
    let written = 0;
    const part = writtenOnce({
      get now() {
        written += 1;
        return written;
      },
    });
    expect([jsonText(part), jsonText({ part }), jsonText({ other: true, part })]).toEqual([
      '{"now":1}',
      '{"part":{"now":1}}',
      '{"other":true,"part":{"now":1}}',
    ]);
  });
});
