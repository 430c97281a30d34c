import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { inLanguages, provideTexts, spoken, spokenBy } from "#app/(demo)/_ui/language.ts";
import { makePageFor } from "#lib/http/page-language.ts";

/** Renders a page for a browser that sends these headers. */
function pageFor<Shown>(headers: Record<string, string>, show: () => Shown): Shown {
  const shown: Shown[] = [];
  makePageFor({ headers } as unknown as IncomingMessage, () => shown.push(show()));
  return shown[0] as Shown;
}

describe("the language of a page", () => {
  test.each([
    ["the browser's first", undefined, ["es-MX", "en"], { language: "es", locale: "es-MX" }],
    ["the browser's first supported one", undefined, ["de", "es", "en"], { language: "es", locale: "es" }],
    [
      "English if the browser names no supported one",
      undefined,
      ["de", "ja"],
      { language: "en", locale: "en" },
    ],
    ["the chosen one, whatever the browser says", "es", ["en-GB"], { language: "es", locale: "es" }],
    ["the chosen region", "en", ["es", "en-GB"], { language: "en", locale: "en-GB" }],
    ["no unsupported language", "tlh", ["es"], { language: "es", locale: "es" }],
    ["no malformed language", undefined, ["es-", "<b>"], { language: "en", locale: "en" }],
  ])("is %s", (_name, choice, preferred, expected) => {
    expect(spokenBy({ choice, preferred })).toEqual(expected);
  });

  test.each([
    ["es-AR,es;q=0.9,en;q=0.8", "es-AR"],
    ["en;q=0.3, es;q=0.7", "es"],
    ["es;q=0, en", "en"],
    ["*", "en"],
    ["", "en"],
  ])("follows Accept-Language: %j", (header, locale) => {
    expect(pageFor({ "accept-language": header }, () => spoken().locale)).toBe(locale);
  });

  test("prefers the stored language to the browser's", () => {
    const headers = { cookie: "a=b; hivegate-language=es", "accept-language": "en-GB" };
    expect(pageFor(headers, () => spoken().language)).toBe("es");
  });

  test("separates the languages of two pages rendered at the same time", async () => {
    const asked = ["es", "en", "es", "en"].map((tag) =>
      pageFor({ "accept-language": tag }, async () => {
        await new Promise(setImmediate);
        return spoken().language;
      }),
    );
    expect(await Promise.all(asked)).toEqual(["es", "en", "es", "en"]);
  });
});

describe("texts of a room", () => {
  const english = inLanguages("a room", {
    hello: "Hello",
    bye: "Bye",
    inner: { many: (n: number) => `${n} things`, list: ["one", "two"] },
  });
  provideTexts("es", {
    "a room": { hello: "Hola", inner: { many: (n: number) => `${n} cosas`, list: ["uno", "dos"] } },
  });
  const { inner } = english;
  const inSpanish = <Shown>(show: () => Shown) => pageFor({ "accept-language": "es" }, show);

  test("defaults to English texts", () => {
    expect([english.hello, inner.many(2), ...inner.list]).toEqual(["Hello", "2 things", "one", "two"]);
  });

  test("reads texts in the page's language at the time of reading, even if stored earlier", () => {
    expect(inSpanish(() => [english.hello, inner.many(2)])).toEqual(["Hola", "2 cosas"]);
    expect(inSpanish(() => inner.list.map((text) => text.toUpperCase()))).toEqual(["UNO", "DOS"]);
    expect(inSpanish(() => Object.values(inner.list))).toEqual(["uno", "dos"]);
  });

  test("falls back to English for a text that the translation lacks", () => {
    expect(inSpanish(() => english.bye)).toBe("Bye");
  });
});
