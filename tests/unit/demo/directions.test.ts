import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const files = readdirSync("app", { recursive: true, encoding: "utf8" })
  .filter((path) => /\.(tsx?|css)$/.test(path))
  .map((path) => join("app", path));

/** Utilities that name a side of the screen instead of the start or the end of a line. */
const UTILITY =
  /(?<=[\s"'`:!])-?(?:(?:scroll-)?[mp][lr]-(?=[\d[]|auto|px)|(?:left|right)-(?=[\d[]|auto|full|px)|border-[lr](?=[\s"'`-])|rounded-(?:[lr]|[tb][lr])(?=[\s"'`-])|(?:text|float|clear)-(?:left|right)(?=[\s"'`])|translate-x-(?=[\d[]|full|px))[^\s"'`]*/g;
const PROPERTY =
  /(?<=[\s;{])(?:(?:margin|padding|border)-(?:left|right)[\w-]*|(?:left|right)|(?:text-align|float|clear): (?:left|right))(?=[:;])/g;

/** Exempt utilities, each with the reason why it means a physical side. */
const exceptions: readonly string[] = [];

test("page layouts use start and end, never left and right", () => {
  const found = files.flatMap((path) => {
    const text = readFileSync(path, "utf8");
    const names = text.match(path.endsWith(".css") ? PROPERTY : UTILITY) ?? [];
    return names.map((name) => `${path}: ${name}`);
  });
  expect(found).toEqual(exceptions);
});
