import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { pageScriptFile, pageScriptSource } from "#lib/cli/built-scripts.ts";

test("the built script of the payment page matches its sources", async () => {
  const isCurrent = readFileSync(pageScriptFile, "utf8") === (await pageScriptSource());
  expect(isCurrent, "run npm run page").toBe(true);
});
