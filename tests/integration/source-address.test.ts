import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sourceAddressOf, webAddressOf } from "../../lib/source-address.ts";

const web = "https://code.example.org/hive/gate";

describe("the web address of a repository", () => {
  test.each([
    "https://code.example.org/hive/gate.git",
    "https://code.example.org/hive/gate",
    "https://code.example.org/hive/gate/\n",
    "git@code.example.org:hive/gate.git",
    "code.example.org:hive/gate",
    "ssh://git@code.example.org:2222/hive/gate.git",
    "git+https://code.example.org/hive/gate.git",
  ])("is derived from %j", (origin) => {
    expect(webAddressOf(origin)).toBe(web);
  });

  test.each([
    ["an empty origin", ""],
    ["a folder", "/srv/git/gate.git"],
    ["a folder's file URL", "file:///srv/git/gate.git"],
    ["a relative folder", "../gate"],
    ["a path on a Windows drive", "C:\\git\\gate"],
    ["a host in a private network", "git@builder:hive/gate.git"],
    ["this machine", "https://git.localhost/hive/gate.git"],
    ["an IP address", "https://192.0.2.7/hive/gate.git"],
    ["a host without a path", "https://code.example.org/"],
  ])("does not exist for %s", (_, origin) => {
    expect(webAddressOf(origin)).toBeNull();
  });

  test("omits the username and password of an origin", () => {
    const word = fc.stringMatching(/^[a-z0-9]{12}$/);
    fc.assert(
      fc.property(word, word, (name, password) => {
        expect(webAddressOf(`https://${name}:${password}@code.example.org/hive/gate.git`)).toBe(web);
      }),
    );
  });
});

describe("the source of a checkout", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "hivegate-source-"));
    writeFileSync(join(folder, "package.json"), "{}");
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const git = (...args: string[]) => execFileSync("git", ["-C", folder, ...args], { stdio: "ignore" });
  const manifest = (content: object) => writeFileSync(join(folder, "package.json"), JSON.stringify(content));

  test.each([["git+https://code.example.org/hive/gate.git"], [{ type: "git", url: web }]])(
    "is its manifest's repository, %j, wherever it was cloned from",
    (repository) => {
      git("init");
      git("remote", "add", "origin", "https://elsewhere.example.org/a/fork.git");
      manifest({ repository });
      expect(sourceAddressOf(folder)).toBe(web);
    },
  );

  test("is the remote `origin`, and no other remote, if the manifest names none", () => {
    git("init");
    git("remote", "add", "upstream", "https://elsewhere.example.org/a/fork.git");
    expect(sourceAddressOf(folder)).toBeNull();
    git("remote", "add", "origin", "git@code.example.org:hive/gate.git");
    git("config", "branch.main.remote", "origin");
    expect(sourceAddressOf(folder)).toBe(web);
  });

  test("is unknown in a folder that is not a clone", () => {
    expect(sourceAddressOf(folder)).toBeNull();
  });
});
