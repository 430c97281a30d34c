import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createRepeatedAnswers } from "../../../lib/mattermost/repeated-answers.ts";

const Thing = z.object({ id: z.string(), size: z.number().default(0) });
const path = "/things/a";

describe("repeated answers", () => {
  it("returns the same value for the same text of a path", () => {
    const answers = createRepeatedAnswers(1000);
    const first = answers.parse(Thing, path, '{"id":"a"}');
    expect(first).toEqual({ id: "a", size: 0 });
    expect(answers.parse(Thing, path, '{"id":"a"}')).toBe(first);
  });

  it("parses a changed text, and the former one again", () => {
    const answers = createRepeatedAnswers(1000);
    const first = answers.parse(Thing, path, '{"id":"a"}');
    expect(answers.parse(Thing, path, '{"id":"b"}')).toEqual({ id: "b", size: 0 });
    const again = answers.parse(Thing, path, '{"id":"a"}');
    expect(again).toEqual(first);
    expect(again).not.toBe(first);
  });

  it("parses the text again for another schema", () => {
    const answers = createRepeatedAnswers(1000);
    const text = '{"id":"a","size":2}';
    answers.parse(Thing, path, text);
    expect(answers.parse(Thing.pick({ id: true }), path, text)).toEqual({ id: "a" });
  });

  it("fails each time for a text that does not fit, and does not lose the last one that did", () => {
    const answers = createRepeatedAnswers(1000);
    const first = answers.parse(Thing, path, '{"id":"a"}');
    for (const text of ['{"id":1}', '{"id":1}', "<html>", "<html>"])
      expect(() => answers.parse(Thing, path, text)).toThrow();
    expect(answers.parse(Thing, path, '{"id":"a"}')).toBe(first);
  });

  it("drops the answers that were used least recently beyond its bound", () => {
    const text = '{"id":"a"}';
    const answers = createRepeatedAnswers(8 * ("/things/0".length + text.length));
    const paths = Array.from({ length: 8 }, (_, index) => `/things/${index}`);
    const [oldest = "", ...others] = paths;
    const values = new Map(paths.map((it) => [it, answers.parse(Thing, it, text)]));
    const parseOf = (it: string) => answers.parse(Thing, it, text);
    for (const it of others) expect(parseOf(it)).toBe(values.get(it));
    parseOf("/things/8");
    for (const it of others) expect(parseOf(it)).toBe(values.get(it));
    expect(parseOf(oldest)).not.toBe(values.get(oldest));
  });
});
