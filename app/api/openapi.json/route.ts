import { currentConfig } from "../../../lib/config.ts";
import { route } from "../../../lib/http/route.ts";
import { createOpenApi } from "../../../lib/openapi.ts";

/** The API described for tools. */
export const GET = route({ cache: "public, max-age=300" }, () => createOpenApi(currentConfig().publicUrl));

export { preflight as OPTIONS } from "../../../lib/http/preflight.ts";
