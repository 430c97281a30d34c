import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { texts as spanish } from "../../../app/_languages/es/index.ts";

type Texts = Readonly<Record<string, unknown>>;

const catalogues: Record<string, Texts> = { es: spanish };

/** Texts that read the same in English and in another language. */
const sameInBoth: Record<string, readonly string[]> = {
  es: [
    "help.rows.0.0",
    "help.rows.1.0",
    "help.rows.3.0",
    "help.rows.5.0",
    "help.rows.6.0",
    "help.rows.7.0",
    "help.rows.9.0",
    "help.rows.12.0",
    "chat.members.roles.bot",
    "chat.message.named",
    "chat.message.program.bot",
    "chat.message.program.webhook",
    "chat.timeline.from",
    "landing.broken.withNumber",
    "landing.nav.chat",
    "landing.nav.reference",
    "landing.quickstart.command",
    "media.file.size",
    "pay.payer.keychain",
    "pay.summary.mainChain",
    "payments.columns.amount",
    "reference.schemes.bearer",
    "reference.schemes.cookie",
    "reference.tokens",
    "session.usernamePlaceholder",
    "wire.size",
  ],
};

const files = readdirSync("app", { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith("strings.en.ts"))
  .map((path) => join("app", path));
const english: Record<string, unknown> = {};
for (const path of files) {
  const room = /inLanguages\("(\w+)"/.exec(readFileSync(path, "utf8"))?.[1];
  const { strings } = (await import(join(process.cwd(), path))) as { strings: unknown };
  if (room) english[room] = strings;
}

/** Values for the parameters of the pages' texts. */
const filled = ["light", "dark", "bob"];

/** Texts that use their own wording in place of an inserted value. */
const reworded = ["ui.theme.label"];

const isPart = (value: unknown): value is Texts => typeof value === "object" && value !== null;

/**
 * Returns every text under a value of the English catalogue, with the other language's text at the same path.
 */
function pairsOf(
  here: unknown,
  there: unknown,
  path: string,
): Array<{ path: string; text: unknown; translated: unknown }> {
  if (!isPart(here)) return [{ path, text: here, translated: there }];
  const other = isPart(there) ? there : {};
  return Object.entries(here).flatMap(([name, inner]) =>
    pairsOf(inner, other[name], path === "" ? name : `${path}.${name}`),
  );
}

const written = (text: unknown) => (typeof text === "function" ? text(...filled) : text);

describe("the rooms of the pages' texts", () => {
  test("have unique names", () => {
    expect(Object.keys(english)).toHaveLength(files.length);
  });
});

describe.each(Object.keys(catalogues))("the texts in %s", (language) => {
  const pairs = pairsOf(english, catalogues[language], "");
  const isSame = (path: string) => sameInBoth[language]?.includes(path);

  test("cover every English text", () => {
    const missing = pairs.filter(({ path, translated }) => translated === undefined && !isSame(path));
    expect(missing.map(({ path }) => path)).toEqual([]);
  });

  test("differ from English, except for the listed ones", () => {
    const equal = pairs.filter(
      ({ text, translated }) => translated === undefined || written(translated) === written(text),
    );
    expect(equal.map(({ path }) => path).sort()).toEqual([...(sameInBoth[language] ?? [])].sort());
  });

  test("use the same parameters as the English texts", () => {
    const filledIn = pairs.flatMap(({ path, text, translated }) => {
      if (typeof text !== "function" || typeof translated !== "function") return [];
      if (reworded.includes(path)) return [];
      const values = ["41", "42", "43"];
      const [here, there]: [string, string] = [text(...values), translated(...values)];
      const lost = values.filter((value) => here.includes(value) && !there.includes(value));
      return lost.length > 0 ? [path] : [];
    });
    expect(filledIn).toEqual([]);
  });

  test("end with a full stop where the English text does", () => {
    const stops = pairs.filter(
      ({ text, translated }) =>
        typeof text === "string" &&
        typeof translated === "string" &&
        /[.…?!]$/.test(text) !== /[.…?!]$/.test(translated),
    );
    expect(stops.map(({ path }) => path)).toEqual([]);
  });
});
