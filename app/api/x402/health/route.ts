import { route } from "../../../../lib/services/route.ts";

export const GET = route({}, ({ services, request }) => services.facilitator().handlers.health(request));
