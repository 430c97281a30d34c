import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const isBuilt = existsSync(".next/BUILD_ID");
/** A method of dhive's keys. Its name survives minification, and our code does not use it. */
const DHIVE = "fromLogin";

describe.skipIf(!isBuilt)("the scripts of the built pages", () => {
  test("include no dhive, in the first load or later", async () => {
    const folder = ".next/static/chunks";
    const chunks = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".js"));
    expect(chunks.length).toBeGreaterThan(20);
    const texts = await Promise.all(chunks.map((name) => readFile(join(folder, name), "utf8")));
    expect(chunks.filter((_, index) => texts[index]?.includes(DHIVE))).toEqual([]);
    // If dhive dropped the name, this search would prove nothing.
    expect(await readFile("node_modules/@hiveio/dhive/lib/crypto.js", "utf8")).toContain(DHIVE);
  });

  test("name no source map, which is not served", async () => {
    const names = await readdir(".next/static", { recursive: true });
    expect(names.filter((name) => name.endsWith(".map"))).toEqual([]);
    const scripts = names.filter((name) => name.endsWith(".js"));
    const texts = await Promise.all(scripts.map((name) => readFile(join(".next/static", name), "utf8")));
    expect(scripts.filter((_, index) => texts[index]?.includes("sourceMappingURL"))).toEqual([]);
  });
});
