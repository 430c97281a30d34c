import { route } from "#lib/services/services.ts";

export const GET = route({}, ({ services, request }) => services.facilitator().handlers.supported(request));
