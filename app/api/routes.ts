// Written by `npm run routes`, checked against the folder by a test.
import type { RouteTable } from "../../lib/http/route-table.ts";

/** Every route function by its path, for the server that calls them without Next. */
export const routes: RouteTable = {};
