import { route } from "../../../../lib/http/route.ts";
import { appFacilitator } from "../app-facilitator.ts";

export { preflight as OPTIONS } from "../../../../lib/http/preflight.ts";

export const GET = route({}, ({ request }) => appFacilitator().handlers.health(request));
