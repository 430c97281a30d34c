import { route } from "../../../../lib/http/route.ts";

/** The process runs; nothing else is asked. */
export const GET = route({}, () => ({ status: "ok" }));

export { preflight as OPTIONS } from "../../../../lib/http/headers.ts";
