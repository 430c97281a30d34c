import { writeFileSync } from "node:fs";
import { envExample } from "./env-example.ts";
import { listRouteFiles, routeTableSource } from "./route-source.ts";

const written: Record<string, () => void> = {
  env: () => writeFileSync(".env.example", envExample()),
  routes: () => writeFileSync("app/api/routes.ts", routeTableSource(listRouteFiles("app"))),
};

for (const name of process.argv.slice(2)) written[name]?.();
