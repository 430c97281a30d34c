import { route } from "#lib/services/route.ts";

/** The process runs; nothing else is asked. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/health/live", {
  GET: () => ({ status: "ok" as const }),
});
