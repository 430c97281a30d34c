import { writeFileSync } from "node:fs";
import { readOptions, refuse } from "../services/read-options.ts";
import { openingScriptFile, openingScriptSource, pageScriptFile, pageScriptSource } from "./built-scripts.ts";
import { envExample, listRouteFiles, routeTableSource } from "./generated-files.ts";

const USAGE = `Usage: npm run env, npm run opening, npm run page, npm run routes

Writes .env.example from the settings, the built script of the chat page or of the payment page from its sources, or app/api/routes.ts from the route files.`;

const written: Record<string, () => void | Promise<void>> = {
  env: () => writeFileSync(".env.example", envExample()),
  opening: async () => writeFileSync(openingScriptFile, await openingScriptSource()),
  page: async () => writeFileSync(pageScriptFile, await pageScriptSource()),
  routes: () => writeFileSync("app/api/routes.ts", routeTableSource(listRouteFiles("app"))),
};

const { positionals } = readOptions(USAGE, { allowPositionals: true });
const [name = ""] = positionals;
const write = Object.hasOwn(written, name) ? written[name] : undefined;
if (!write || positionals.length > 1) refuse(`What can be written: ${Object.keys(written).join(", ")}`);
await write();
