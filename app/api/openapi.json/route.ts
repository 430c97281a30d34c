import { createOpenApi } from "#lib/contract/openapi.ts";
import { route } from "#lib/services/route.ts";

/** The description of the API for tools. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/openapi.json", {
  GET: ({ services }) => createOpenApi(services.config.publicUrl),
});
