import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeBuild, libraryManifest } from "../../lib/publish/manifest.ts";

const execute = promisify(execFile);

describe("the library's package without a public repository", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hivegate-publish-"));
    const app = {
      ...{ version: "1.2.3", license: "MIT", author: "Somebody" },
      ...{ engines: { node: ">=20.9" }, dependencies: {} },
    };
    const manifest = libraryManifest(app, ["index"], null);
    await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test("can be packed for a trial", async () => {
    const { stdout } = await execute("npm", ["pack"], { cwd: folder });
    expect(stdout).toContain("hivegate-1.2.3.tgz");
  });

  test("contains no address and can be published", async () => {
    const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    for (const field of ["repository", "homepage", "bugs", "scripts", "private"])
      expect(manifest).not.toHaveProperty(field);
  });

  test("is reported as built, with one note about the missing address", () => {
    const [verdict, note, ...more] = describeBuild("1.2.3", null).split("\n");
    expect([verdict, note]).toEqual([
      expect.stringMatching(/^OK: hivegate 1\.2\.3 /),
      expect.stringMatching(/^Note: /),
    ]);
    expect(more).toEqual([]);
    expect(describeBuild("1.2.3", "https://code.example/a/b")).not.toContain("\n");
  });
});
