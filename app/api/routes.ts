// Written by `npm run routes`; a test compares it with the folder.
import type { RouteTable } from "../../lib/http/route-table.ts";
import * as wellKnownJwksJson from "../.well-known/jwks.json/route.ts";
import * as apiAuthChallenge from "./auth/challenge/route.ts";
import * as apiAuthLogin from "./auth/login/route.ts";
import * as apiAuthLogout from "./auth/logout/route.ts";
import * as apiAuthRefresh from "./auth/refresh/route.ts";
import * as apiAuthSession from "./auth/session/route.ts";
import * as apiHealthLive from "./health/live/route.ts";

/** Every route file by its path, for the server that calls them without Next. */
export const routes: RouteTable = {
  "/.well-known/jwks.json": wellKnownJwksJson,
  "/api/auth/challenge": apiAuthChallenge,
  "/api/auth/login": apiAuthLogin,
  "/api/auth/logout": apiAuthLogout,
  "/api/auth/refresh": apiAuthRefresh,
  "/api/auth/session": apiAuthSession,
  "/api/health/live": apiHealthLive,
};
