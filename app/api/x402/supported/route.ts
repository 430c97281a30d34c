import { route } from "../../../../lib/http/route.ts";
import { appFacilitator } from "../../../../lib/services/app-facilitator.ts";

export { preflight as OPTIONS } from "../../../../lib/http/headers.ts";

export const GET = route({}, ({ request }) => appFacilitator().handlers.supported(request));
