import { readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { z } from "zod";
import { type Colours, darkColours, lightColours } from "../colours.ts";
import { operations } from "../contract/operations.ts";
import { fileTemplateOf } from "../http/route-table.ts";
import { Settings } from "../settings.ts";

/**
 * Lists the route files of the gateway's operations below `appDir`, relative to it and sorted. All other files belong
 * to Next alone.
 */
export function listRouteFiles(appDir: string): string[] {
  const own = new Set(Object.keys(operations).map(fileTemplateOf));
  return readdirSync(appDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name === "route.ts")
    .map((entry) => relative(appDir, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((file) => own.has(templateOf(file)))
    .sort();
}

/** Returns the URL template of a route file, which omits route groups such as `(demo)`. */
export function templateOf(file: string): string {
  const segments = file.split("/").slice(0, -1);
  return `/${segments.filter((segment) => !/^\(.*\)$/.test(segment)).join("/")}`;
}

/** Returns the text of `app/api/routes.ts` for these route files. */
export function routeTableSource(files: readonly string[]): string {
  const imports = files.map((file) => `import * as ${nameOf(file)} from "${importPathOf(file)}";`);
  const entries = files.map((file) => `  "${templateOf(file)}": ${nameOf(file)},`);
  return [
    "// Written by `npm run routes`; a test compares it with the folder.",
    `import type { RouteTable } from "../../lib/http/route-table.ts";`,
    ...imports,
    "",
    "/** Every route file by its path, for the server that calls them without Next. */",
    "export const routes: RouteTable = {",
    ...entries,
    "};",
    "",
  ].join("\n");
}

function nameOf(file: string): string {
  const words = templateOf(file).split(/[^A-Za-z0-9]+/);
  const [first = "", ...rest] = words.filter((word) => word !== "");
  return first + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

function importPathOf(file: string): string {
  return file.startsWith("api/") ? `./${file.slice("api/".length)}` : `../${file}`;
}

/**
 * Returns the text of `.env.example`: every setting with its meaning. Settings with a default or a choice are commented
 * out.
 */
export function envExample(): string {
  const { properties = {}, required = [] } = z.toJSONSchema(Settings, {
    io: "input",
    unrepresentable: "any",
  });
  const entries = Object.entries(properties).map(([name, schema]) => {
    const { description, default: value } = schema as { description?: string; default?: unknown };
    const isNeeded = required.includes(name);
    const line = `${name}=${isNeeded || value === undefined ? "" : String(value)}`;
    return `# ${description}${isNeeded ? " (required)" : ""}\n${isNeeded ? line : `#${line}`}\n`;
  });
  return [
    "# Written by `npm run env`. Commands read .env in the working folder; environment variables win. The sandbox needs no settings.\n",
    ...entries,
  ].join("\n");
}

/** Returns the text of `app/colours.css`: the colours of both themes as CSS variables. */
export function coloursCss(): string {
  const rule = (selector: string, theme: Colours) => [
    "",
    `${selector} {`,
    ...Object.entries(theme).map(([name, colour]) => `  --${name}: ${colour};`),
    "}",
  ];
  return [
    "/* Written by `npm run colours` from lib/colours.ts; a test compares both. */",
    ...rule(":root", lightColours),
    ...rule(".dark", darkColours),
    "",
  ].join("\n");
}
