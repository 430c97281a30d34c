import { writeFileSync } from "node:fs";
import { listRouteFiles, routeTableSource } from "./route-source.ts";

writeFileSync("app/api/routes.ts", routeTableSource(listRouteFiles("app")));
