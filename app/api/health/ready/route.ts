import { route } from "#lib/services/services.ts";

/** Whether this process should get requests. */
export const GET = route({}, async ({ services }) => {
  const readiness = await services.readiness();
  const isServing = readiness.status === "ok" || readiness.status === "degraded";
  return Response.json(readiness, { status: isServing ? 200 : 503 });
});
