import { once } from "node:events";
import { WebSocket } from "ws";

export type Client = {
  socket: WebSocket;
  /** Headers of the answer that accepted the upgrade. */
  headers: NodeJS.Dict<string | string[]>;
  /** Text messages are parsed, binary ones are buffers, in order of arrival. */
  messages: unknown[];
  closed: Promise<{ code: number; reason: string }>;
};

/** Connects to the gateway's websocket. Rejects with the HTTP answer of a refusal. */
export async function openWebsocket(
  gatewayUrl: string,
  query = "",
  options: WebSocket.ClientOptions = {},
): Promise<Client> {
  const socket = new WebSocket(`${gatewayUrl.replace("http", "ws")}/api/chat/websocket${query}`, options);
  const messages: unknown[] = [];
  let headers: Client["headers"] = {};
  socket.once("upgrade", (response) => {
    headers = response.headers;
  });
  socket.on("message", (data: Buffer, isBinary) => {
    messages.push(isBinary ? data : JSON.parse(data.toString()));
  });
  const closed = once(socket, "close").then(([code, reason]) => ({ code, reason: String(reason) }));
  closed.catch(() => undefined);
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
    socket.once("unexpected-response", (request, response) => {
      let body = "";
      response.on("data", (chunk) => {
        body += chunk;
      });
      response.on("end", () => {
        request.destroy();
        reject(new Refusal(response.statusCode ?? 0, response.headers, JSON.parse(body)));
      });
    });
  });
  socket.on("error", () => undefined);
  return { socket, headers, messages, closed };
}

/** The HTTP answer that replaced the upgrade. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly headers: NodeJS.Dict<string | string[]>,
    readonly body: { error: string; code: string; requestId: string },
  ) {
    super(`${status} ${body.code}`);
  }
}

/** Returns the status and code of the answer that refused a websocket, or null if it opened. */
export const refusalOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => null,
    (error: Refusal) => [error.status, error.body?.code],
  );
