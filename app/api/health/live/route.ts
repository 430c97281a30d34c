import { route } from "#lib/services/services.ts";

/** The process runs; nothing else is asked. */
export const GET = route({}, () => ({ status: "ok" }));
