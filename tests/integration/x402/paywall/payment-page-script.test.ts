import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { pageScriptFile, pageScriptSource } from "#lib/publish/page-script.ts";

test("the built script of the payment page matches its sources (else: npm run page)", async () => {
  expect(readFileSync(pageScriptFile, "utf8")).toBe(await pageScriptSource());
});
