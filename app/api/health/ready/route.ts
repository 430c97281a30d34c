import { route } from "#lib/services/route.ts";

/** Answers whether this process is ready for requests. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/health/ready", {
  GET: async ({ services }) => {
    const readiness = await services.readiness();
    const isServing = readiness.status === "ok" || readiness.status === "degraded";
    return Response.json(readiness, { status: isServing ? 200 : 503 });
  },
});
