import { writeFileSync } from "node:fs";
import { readOptions, refuse } from "../services/read-options.ts";
import { envExample, listRouteFiles, routeTableSource } from "./generated-files.ts";

const USAGE = `Usage: npm run env, npm run routes

Writes .env.example from the settings, or app/api/routes.ts from the route files.`;

const written: Record<string, () => void> = {
  env: () => writeFileSync(".env.example", envExample()),
  routes: () => writeFileSync("app/api/routes.ts", routeTableSource(listRouteFiles("app"))),
};

const { positionals } = readOptions(USAGE, { allowPositionals: true });
const [name = ""] = positionals;
const write = Object.hasOwn(written, name) ? written[name] : undefined;
if (!write || positionals.length > 1) refuse("What can be written is env or routes");
write();
