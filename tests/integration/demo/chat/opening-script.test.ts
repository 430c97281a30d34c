import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openingScriptFile, openingScriptSource } from "#lib/cli/built-scripts.ts";

test("the built first script of the chat page matches its sources", async () => {
  const isCurrent = readFileSync(openingScriptFile, "utf8") === (await openingScriptSource());
  expect(isCurrent, "run npm run opening").toBe(true);
});
