import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  openingScriptFile,
  openingScriptSource,
  pageScriptFile,
  pageScriptSource,
} from "../../../lib/cli/built-scripts.ts";
import { coloursCss, envExample } from "../../../lib/cli/generated-files.ts";
import { ConfigError, loadConfig } from "../../../lib/config.ts";

test(".env.example equals the output of npm run env", () => {
  expect(readFileSync(".env.example", "utf8")).toBe(envExample());
});

test("app/colours.css equals the output of npm run colours", () => {
  expect(readFileSync("app/colours.css", "utf8")).toBe(coloursCss());
});

test.each([
  { command: "page", file: pageScriptFile, source: pageScriptSource },
  { command: "opening", file: openingScriptFile, source: openingScriptSource },
])("$file equals the output of npm run $command", async ({ command, file, source }) => {
  const isCurrent = readFileSync(file, "utf8") === (await source());
  expect(isCurrent, `run npm run ${command}`).toBe(true);
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
