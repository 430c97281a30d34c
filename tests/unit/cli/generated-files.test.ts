import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { coloursCss, envExample } from "../../../lib/cli/generated-files.ts";
import { ConfigError, loadConfig } from "../../../lib/config.ts";

test(".env.example equals the output of npm run env", () => {
  expect(readFileSync(".env.example", "utf8")).toBe(envExample());
});

test("app/colours.css equals the output of npm run colours", () => {
  expect(readFileSync("app/colours.css", "utf8")).toBe(coloursCss());
});

test(".env.example marks as required exactly the settings that an empty environment lacks", () => {
  const needed = [...envExample().matchAll(/\(required\)\n(\w+)=/g)].map(([, name]) => name);
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
