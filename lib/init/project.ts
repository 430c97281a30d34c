import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const frameworks = ["next", "express", "hono"] as const;
export type Framework = (typeof frameworks)[number];

/** What a folder holds, as far as a route in it depends on that. */
export type Project = {
  found: Framework[];
  /** Next's folder of the app router, where there is one. */
  appFolder: string | null;
  /** Where sources lie: `src/`, or the folder itself. */
  sourceFolder: string;
  isTypeScript: boolean;
  isModule: boolean;
  /** What the route needs, and the project has not. */
  missing: string[];
};

/** Reads a project; null where there is no `package.json`. @throws SyntaxError for one that is no JSON */
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
