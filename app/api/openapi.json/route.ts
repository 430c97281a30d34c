import { currentConfig } from "../../../lib/config.ts";
import { createOpenApi } from "../../../lib/contract/openapi.ts";
import { route } from "../../../lib/http/route.ts";

/** The API described for tools. */
export const GET = route({ cache: "public, max-age=300" }, () => createOpenApi(currentConfig().publicUrl));

export { preflight as OPTIONS } from "../../../lib/http/headers.ts";
