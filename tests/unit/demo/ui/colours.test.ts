import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

/** The primary action, the reader's own mention, the number of those in the list, and the sign of the house. */
const bearers = [
  "(demo)/_chat/message/plain-text.tsx",
  "(demo)/_chat/sidebar/channel-row.tsx",
  "(demo)/_ui/button.tsx",
  "(demo)/_ui/logo.tsx",
];

test("the accent means the primary action and the reader's own mention, and nothing else", () => {
  const files = readdirSync("app", { recursive: true, encoding: "utf8" }).filter((path) =>
    /\.(?:tsx?|css)$/.test(path),
  );
  const isBearer = (path: string) => /\baccent\b/.test(readFileSync(join("app", path), "utf8"));
  expect(files.filter((path) => path.endsWith("x") && isBearer(path)).sort()).toEqual(bearers);
  const rules = readFileSync("app/globals.css", "utf8").replace(/--(?:color-)?accent[\w-]*: [^;]+;/g, "");
  expect(rules).not.toMatch(/accent/);
});
