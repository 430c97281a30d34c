import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  encoding: "utf8",
})
  .split("\n")
  .filter((path) => /\.(ts|tsx|mjs)$/.test(path));
const product = files.filter((path) =>
  /^(app|lib|sandbox)\/|^(server|middleware|instrumentation)\.ts$/.test(path),
);
const textOf = (path: string) => readFileSync(path, "utf8");
const linesOf = (path: string) => textOf(path).split("\n").length - 1;

describe("layout", () => {
  test("no hand-written file is longer than 300 lines", () => {
    expect(files.filter((path) => linesOf(path) > 300)).toEqual([]);
  });

  test("half of the product's files have 90 lines or fewer", () => {
    const counts = product.map(linesOf).sort((a, b) => a - b);
    expect(counts[Math.floor(counts.length / 2)]).toBeLessThanOrEqual(90);
  });

  test("server.ts has at most 80 lines and middleware.ts at most 60", () => {
    expect(linesOf("server.ts")).toBeLessThanOrEqual(80);
    expect(linesOf("middleware.ts")).toBeLessThanOrEqual(60);
  });

  test("a route file has at most 40 lines and imports nothing of next", () => {
    const routes = product.filter((path) => /^app\/.*\/route\.ts$/.test(path));
    expect(routes.length).toBeGreaterThan(0);
    expect(routes.filter((path) => linesOf(path) > 40)).toEqual([]);
    expect(routes.filter((path) => /from "next/.test(textOf(path)))).toEqual([]);
  });

  test("only lib/config.ts reads the environment", () => {
    const readers = product.filter((path) => /process\.env\b/.test(textOf(path)));
    expect(readers).toEqual(["lib/config.ts"]);
  });

  test("no file is a drawer for odds and ends", () => {
    expect(
      files.filter((path) => /(^|\/)(utils?|helpers?|common|misc|manager)\.(ts|tsx|mjs)$/.test(path)),
    ).toEqual([]);
  });

  test("file names are kebab-case", () => {
    const names = files.map((path) => path.split("/").at(-1) ?? "");
    expect(names.filter((name) => !/^[a-z0-9]+([.-][a-z0-9]+)*\.(ts|tsx|mjs)$/.test(name))).toEqual([]);
  });
});

describe("dependencies", () => {
  type Entry = {
    version: string;
    dev?: boolean;
    optional?: boolean;
    resolved?: string;
    engines?: { node?: string };
  };
  const { packages } = JSON.parse(textOf("package-lock.json")) as { packages: Record<string, Entry> };
  const shipped = Object.entries(packages).filter(([path, entry]) => path !== "" && !entry.dev);

  test("what runs in production accepts Node 20.9", () => {
    // The only ranges met: ">=x", "^x || >=y" and "x"; a range that excludes 20.9 names a 20.x above it or a major above 20.
    const refuses = (range: string) =>
      !range.split("||").some((part) => {
        const match = /^\s*(>=|\^|>)?\s*v?(\d+)(?:\.(\d+))?/.exec(part);
        if (!match) return /^\s*\*?\s*$/.test(part);
        const [, operator = "=", major = "0", minor = "0"] = match;
        if (Number(major) === 20) return Number(minor) <= 9;
        return operator.startsWith(">") ? Number(major) < 20 : false;
      });
    const refusing = shipped.filter(([, entry]) => entry.engines?.node && refuses(entry.engines.node));
    expect(refusing.map(([path, entry]) => `${path} ${entry.engines?.node}`)).toEqual([]);
  });

  test("the lock file names no registry", () => {
    expect(Object.values(packages).filter((entry) => entry.resolved?.startsWith("http"))).toEqual([]);
  });
});
