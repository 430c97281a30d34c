import { readUserImage } from "#lib/chat/people/search-users.ts";
import { route } from "#lib/services/services.ts";

export const GET = route(
  { ids: ["userId"], cache: "public, max-age=300" },
  ({ services, params, request, clientAddress, signal }) =>
    readUserImage(services.chat, params.userId, request.headers.get("if-none-match"), clientAddress, signal),
);
