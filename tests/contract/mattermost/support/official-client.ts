import type { Client4 as Client } from "@mattermost/client";
import mattermost from "@mattermost/client";
import { WebSocket } from "ws";

// The client expects a browser's WebSocket, which Node 20 lacks.
Object.assign(globalThis, { WebSocket });

// The package is CommonJS without named exports that Node could find.
const { Client4, WebSocketClient } = mattermost;

export type { Client };
export { WebSocketClient };

/** Opens the official client as one account. */
export function openClient(baseUrl: string, token: string): Client {
  const client = new Client4();
  client.setUrl(baseUrl.replace(/\/api\/v4$/, ""));
  client.setToken(token);
  return client;
}
