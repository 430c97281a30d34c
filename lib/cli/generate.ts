import { writeFileSync } from "node:fs";
import { envExample, listRouteFiles, routeTableSource } from "./generated-files.ts";

const written: Record<string, () => void> = {
  env: () => writeFileSync(".env.example", envExample()),
  routes: () => writeFileSync("app/api/routes.ts", routeTableSource(listRouteFiles("app"))),
};

for (const name of process.argv.slice(2)) written[name]?.();
