import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { libraryManifest, noRepository } from "../../lib/publish/manifest.ts";

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

  test("can be packed, to be tried", async () => {
    const { stdout } = await execute("npm", ["pack"], { cwd: folder });
    expect(stdout).toContain("hivegate-1.2.3.tgz");
  });

  test("is not published: npm says what is missing, and how to mend it", async () => {
    // No registry listens there: whatever would be sent is sent to nobody.
    const registry = ["--registry", "http://127.0.0.1:9", "--dry-run"];
    const failure = await execute("npm", ["publish", ...registry], { cwd: folder }).catch((error) => error);
    expect(failure.code).toBe(1);
    expect(failure.stderr).toContain(noRepository);
  });
});
