import { route } from "#lib/services/route.ts";

/** Answers that the process runs, without checking anything else. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/health/live", {
  GET: () => ({ status: "ok" as const }),
});
