// Copies the emoji tables to public/emoji, so that the picker asks only our own origin.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const source = dirname(createRequire(import.meta.url).resolve("emojibase-data/package.json"));
const target = join(process.cwd(), "public", "emoji");
for (const language of ["en", "es"])
  for (const name of ["data.json", "messages.json"])
    cpSync(join(source, language, name), join(target, language, name), { recursive: true });
mkdirSync(target, { recursive: true });

const read = (path) => JSON.parse(readFileSync(join(source, path), "utf8"));
const shortNames = read("en/shortcodes/iamcal.json");
const characters = new Map(read("en/compact.json").map(({ hexcode, unicode }) => [hexcode, unicode]));
const table = {};
for (const [hexcode, names] of Object.entries(shortNames))
  for (const name of [names].flat())
    if (characters.has(hexcode) && /^[a-z0-9_+-]{1,64}$/.test(name)) table[name] ??= characters.get(hexcode);
writeFileSync(join(target, "short-names.json"), JSON.stringify(table));
