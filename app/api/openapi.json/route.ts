import { createOpenApi } from "#lib/contract/openapi.ts";
import { route } from "#lib/services/services.ts";

/** The API described for tools. */
export const GET = route({ cache: "public, max-age=300" }, ({ services }) =>
  createOpenApi(services.config.publicUrl),
);
