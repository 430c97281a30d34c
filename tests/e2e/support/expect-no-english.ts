import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, type Page } from "playwright/test";

type Texts = Readonly<Record<string, unknown>>;

const isPart = (value: unknown): value is Texts => typeof value === "object" && value !== null;
const filled = ["41", "42", "43"];
const written = (text: unknown): string => String(typeof text === "function" ? text(...filled) : text);

function pairsOf(here: unknown, there: unknown): Array<[string, string]> {
  // Texts that the other language leaves out are shown in English. A unit test limits which texts may be left
  // out.
  if (!isPart(here)) return there === undefined ? [] : [[written(here), written(there)]];
  return Object.entries(here).flatMap(([name, inner]) =>
    pairsOf(inner, isPart(there) ? there[name] : undefined),
  );
}

/** The texts of all rooms of the pages, in English. */
async function readEnglish(): Promise<Texts> {
  const files = readdirSync("app", { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith("strings.en.ts"),
  );
  const rooms = files.map(async (path) => {
    const room = /inLanguages\("(\w+)"/.exec(readFileSync(join("app", path), "utf8"))?.[1] ?? path;
    const { strings } = (await import(join(process.cwd(), "app", path))) as { strings: unknown };
    return [room, strings] as const;
  });
  return Object.fromEntries(await Promise.all(rooms));
}

/**
 * Returns patterns of texts that differ in another language. Patterns with hardly any fixed words are left
 * out, because they would match everything.
 */
async function patternsBeside(other: Texts): Promise<string[]> {
  const said = pairsOf(await readEnglish(), other)
    .filter(([text, translated]) => text !== translated)
    .map(([text]) => text)
    .filter((text) => text.replace(/4[123]/g, "").replace(/[^a-z]/gi, "").length > 3);
  return said.map((text) => `^${text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/4[123]/g, ".+")}$`);
}

/**
 * Expects that no text of the English pages is in view or read aloud, except in elements marked as English or
 * as a name.
 */
export async function expectNoEnglish(page: Page, other: Texts, where: string): Promise<void> {
  const patterns = await patternsBeside(other);
  const left = () =>
    page.evaluate((sources) => {
      const english = sources.map((source) => new RegExp(source));
      const spoken = [document.title];
      for (const element of document.body.querySelectorAll("*")) {
        if (element.closest('[lang="en"], [translate="no"], script, style, [data-post] [dir="auto"]'))
          continue;
        for (const name of ["aria-label", "aria-roledescription", "title", "placeholder", "alt"])
          spoken.push(element.getAttribute(name) ?? "");
        const own = [...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE);
        if (element.checkVisibility()) spoken.push(own.map(({ textContent }) => textContent).join(""));
      }
      const texts = new Set(spoken.map((text) => text.trim()).filter((text) => text !== ""));
      return [...texts].filter((text) => english.some((pattern) => pattern.test(text)));
    }, patterns);
  await expect.poll(left, { message: `still in English: ${where}` }).toEqual([]);
}
