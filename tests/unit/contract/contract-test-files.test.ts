import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { operations } from "../../../lib/contract/operations.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const filesBelow = (folder: string, name: RegExp) =>
  (readdirSync(root + folder, { recursive: true }) as string[]).filter((file) => name.test(file));

const chatPaths = Object.entries<object>(operations).filter(([path]) => path.startsWith("/api/chat/"));
const testFiles = filesBelow("tests", /\.test\.ts$/);

/**
 * Returns the possible names of a route's test, such as `get-channels-posts` for GET
 * `/api/chat/channels/{channelId}/posts`. If a path has a single method, the name may omit it.
 */
function testNamesOf(path: string, methods: readonly string[]): string[][] {
  const name = path
    .split("/")
    .slice(3)
    .filter((part) => !part.startsWith("{"))
    .join("-");
  const ofMethod = methods.map((method) => `${method}-${name}`);
  return ofMethod.map((own) => (methods.length === 1 ? [own, name] : [own]));
}

const isTested = (names: readonly string[]) =>
  testFiles.some((file) =>
    names.some((name) => file.endsWith(`/${name}.test.ts`) || file.startsWith(`${name}/`)),
  );

describe("the chat's contract", () => {
  it("has operations to test", () => {
    expect(chatPaths.length).toBeGreaterThan(15);
  });
  it.each(chatPaths)("has a test file for every method of %s", (path, methods) => {
    const names = testNamesOf(path, Object.keys(methods));
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((either) => !isTested(either))).toEqual([]);
  });
});
