import { readUserImage } from "#lib/chat/people/search-users.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/users/{userId}/image", {
  GET: ({ services, params, asked, clientAddress, signal }) =>
    readUserImage(services.chat, params.userId, asked.headers.get("if-none-match"), clientAddress, signal),
});
