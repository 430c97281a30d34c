import { describe, expect, test } from "vitest";
import { chooseLanguage, fill, pageTexts } from "#lib/x402/paywall/payment-page-texts.ts";
import { refusalCodes, unavailableCodes } from "#lib/x402/paywall/refusals.ts";

const { en, ...others } = pageTexts;
const placeholders = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();

describe.each(Object.entries(others))("the payment page in %s", (_language, texts) => {
  test.each(["page", "script"] as const)("translates every English text (%s)", (part) => {
    expect(Object.keys(texts[part]).sort()).toEqual(Object.keys(en[part]).sort());
    const same = Object.entries(en[part]).filter(
      ([name, text]) => (texts[part] as Record<string, string>)[name] === text,
    );
    expect(same).toEqual([]);
  });

  test.each(["page", "script"] as const)("inserts the same values in each text (%s)", (part) => {
    for (const [name, text] of Object.entries(en[part]))
      expect(placeholders((texts[part] as Record<string, string>)[name] ?? ""), name).toEqual(
        placeholders(text),
      );
  });

  test("has a sentence for every refusal that a payer can see", () => {
    const waits: readonly string[] = ["payment_required", ...unavailableCodes];
    const seen = refusalCodes.filter((code) => !waits.includes(code));
    expect(Object.keys(texts.refusals).sort()).toEqual([...seen].sort());
  });
});

describe("the language of the payment page", () => {
  test.each([
    ["es-AR,es;q=0.9,en;q=0.5", "es"],
    ["en;q=0.3, es;q=0.8", "es"],
    ["en-GB,es;q=0.5", "en"],
    ["de,ja", "en"],
    ["es;q=0, de", "en"],
    ["", "en"],
    ["constructor,__proto__", "en"],
  ])("for %j is %s", (asked, language) => {
    expect(chooseLanguage(undefined, asked)).toBe(language);
  });

  test("follows the seller's choice of language, if supported", () => {
    expect(chooseLanguage("en", "es")).toBe("en");
    expect(chooseLanguage("toString", "es")).toBe("es");
    expect(chooseLanguage(null, "es")).toBe("es");
  });

  test("does not treat inserted text as a placeholder", () => {
    expect(fill("{one} and {two}", { one: "{two}", two: "$&" })).toBe("{two} and $&");
  });
});
