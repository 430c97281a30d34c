import { writeFileSync } from "node:fs";
import { readOptions, refuse } from "../services/read-options.ts";
import { openingScriptFile, openingScriptSource, pageScriptFile, pageScriptSource } from "./built-scripts.ts";
import { coloursCss, envExample, listRouteFiles, routeTableSource } from "./generated-files.ts";

const USAGE = `Usage: npm run colours, npm run env, npm run opening, npm run page, npm run routes

Writes a file from its sources:
  colours  app/colours.css, from lib/colours.ts
  env      .env.example, from lib/settings.ts
  opening  the chat page's built first script
  page     the payment page's built script
  routes   app/api/routes.ts, from the route files`;

const written: Record<string, () => void | Promise<void>> = {
  colours: () => writeFileSync("app/colours.css", coloursCss()),
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
