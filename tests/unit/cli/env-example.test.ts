import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { envExample } from "../../../lib/cli/generated-files.ts";
import { ConfigError, loadConfig } from "../../../lib/config.ts";

test(".env.example is what the settings schema says: npm run env writes it", () => {
  expect(readFileSync(".env.example", "utf8")).toBe(envExample());
});

test("what .env.example marks as needed is what a start without settings complains about", () => {
  const needed = [...envExample().matchAll(/\(needed\)\n(\w+)=/g)].map(([, name]) => name);
  const faults = (() => {
    try {
      loadConfig({});
    } catch (error) {
      if (error instanceof ConfigError) return error.faults.map(({ setting }) => setting);
    }
    return [];
  })();
  expect(faults).toEqual(needed);
});
