import { readFileSync, statSync } from "node:fs";
import { describe, expect, test } from "vitest";

const text = readFileSync("SECURITY.md", "utf8");
const rows = text
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| who"))
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .filter(([, who]) => !who?.startsWith("---"));

describe("the threat model", () => {
  test.each(["payer", "seller", "user", "moderator", "chat operator", "node operator", "network"])(
    "lists the threats from a %s",
    (who) => {
      expect(rows.some((row) => row[1] === who)).toBe(true);
    },
  );

  test("names existing test files for each threat", () => {
    for (const [, who, wanted, , shownBy = ""] of rows) {
      const paths = [...shownBy.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path);
      expect(paths.length, `${who}: ${wanted}`).toBeGreaterThan(0);
      const missing = paths.filter((path) => !statSync(path, { throwIfNoEntry: false })?.isFile());
      expect(missing, `${who}: ${wanted}`).toEqual([]);
    }
  });
});
