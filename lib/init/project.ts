import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const frameworks = ["next", "express", "hono"] as const;
export type Framework = (typeof frameworks)[number];

/** The properties of a folder that determine the route written to it. */
export type Project = {
  found: Framework[];
  /** The folder of Next's app router, if there is one. */
  appFolder: string | null;
  /** The folder of the sources: `src/`, or the folder itself. */
  sourceFolder: string;
  isTypeScript: boolean;
  isModule: boolean;
  /** The packages that the route needs and the project lacks. */
  missing: string[];
};

/** Reads a project, or returns null without a `package.json`. @throws SyntaxError if that file is not JSON */
export function readProject(folder: string): Project | null {
  const path = join(folder, "package.json");
  if (!existsSync(path)) return null;
  const manifest = JSON.parse(readFileSync(path, "utf8")) as {
    type?: string;
    dependencies?: Record<string, string>;
    devDependencies?: Record<string, string>;
  };
  const installed = { ...manifest.dependencies, ...manifest.devDependencies };
  const has = (name: string) => existsSync(join(folder, name));
  return {
    found: frameworks.filter((name) => name in installed),
    appFolder: ["app", "src/app"].find(has) ?? null,
    sourceFolder: has("src") ? "src/" : "",
    isTypeScript: has("tsconfig.json") || "typescript" in installed,
    isModule: manifest.type === "module",
    missing: ["hivegate", "libsql"].filter((name) => !(name in installed)),
  };
}
