import { readWebsocketToken } from "#lib/chat/websocket/authorize.ts";
import { CodedError } from "#lib/errors.ts";
import { route } from "#lib/services/route.ts";

/** Upgrades never reach this route. It answers requests without an upgrade. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/websocket", {
  GET: ({ request }) => {
    readWebsocketToken(request);
    throw new CodedError("invalid_upgrade");
  },
});
