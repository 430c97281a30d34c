import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createOpenApi } from "../../lib/contract/openapi.ts";

const textOf = (path: string) => readFileSync(path, "utf8");
const { version } = JSON.parse(textOf("package.json")) as { version: string };
const changelog = textOf("CHANGELOG.md");

describe("the version in package.json", () => {
  test("equals that of the lock file and of the OpenAPI document", () => {
    const lock = JSON.parse(textOf("package-lock.json")) as {
      version: string;
      packages: Record<string, { version: string }>;
    };
    const { info } = createOpenApi("https://example.com") as { info: { version: string } };
    expect([lock.version, lock.packages[""]?.version, info.version]).toEqual([version, version, version]);
  });

  test("is the latest release in the CHANGELOG, below the unreleased changes", () => {
    const headings = [...changelog.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
    expect(headings.slice(0, 2)).toEqual(["Unreleased", version]);
  });
});

test("each change in the CHANGELOG is one line of at most 72 characters", () => {
  const changes = changelog.split("\n").slice(changelog.split("\n").indexOf("## Unreleased"));
  const other = changes.filter((line) => line !== "" && !line.startsWith("#") && !/^- .{1,72}$/.test(line));
  expect(other).toEqual([]);
});
