import { route } from "../../../../lib/http/route.ts";
import { readReadiness } from "../../../../lib/services/readiness.ts";

/** Whether this process should get requests. */
export const GET = route({}, async () => {
  const readiness = await readReadiness();
  const isServing = readiness.status === "ok" || readiness.status === "degraded";
  return Response.json(readiness, { status: isServing ? 200 : 503 });
});

export { preflight as OPTIONS } from "../../../../lib/http/headers.ts";
