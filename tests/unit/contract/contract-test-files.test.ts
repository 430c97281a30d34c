import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const filesBelow = (folder: string, name: RegExp) =>
  (readdirSync(root + folder, { recursive: true }) as string[]).filter((file) => name.test(file));

const routeFiles = filesBelow("app/api/chat", /(^|\/)route\.ts$/);
const testFiles = filesBelow("tests", /\.test\.ts$/);

/** `channels/[channelId]/posts/route.ts` and GET: `get-channels-posts`; where a path has one method, its name alone does. */
function testNamesOf(file: string): string[][] {
  const name = file
    .replace(/\/?route\.ts$/, "")
    .split("/")
    .filter((part) => !part.startsWith("["))
    .join("-");
  const source = readFileSync(`${root}app/api/chat/${file}`, "utf8");
  const methods = [
    ...source.matchAll(/export (?:const|async function|function) (GET|POST|PUT|PATCH|DELETE)\b/g),
  ];
  const ofMethod = methods.map(([, method = ""]) => `${method.toLowerCase()}-${name}`);
  return ofMethod.map((own) => (methods.length === 1 ? [own, name] : [own]));
}

const isTested = (names: readonly string[]) =>
  testFiles.some((file) =>
    names.some((name) => file.endsWith(`/${name}.test.ts`) || file.startsWith(`${name}/`)),
  );

describe("contract tests of the chat", () => {
  it("are looked for where the routes are", () => {
    expect(routeFiles.length).toBeGreaterThan(15);
  });
  it.each(routeFiles.map((file) => [file]))("exist for every method of %s", (file) => {
    const names = testNamesOf(file);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((either) => !isTested(either))).toEqual([]);
  });
});
