import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { HttpScope } from "./record-request.ts";

const GRACE_MS = 10_000;
const SWEEP_EVERY_MS = 100;

const connections = new WeakMap<Server, Set<Socket>>();

/** Notes the connections of a server for `shutDown`: Node counts one that has sent nothing yet as busy. */
export function watchConnections(server: Server): void {
  const open = new Set<Socket>();
  connections.set(server, open);
  server.on("connection", (socket: Socket) => {
    if (open.has(socket)) return;
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
}

/**
 * Stops taking connections (`/api/health/ready` answers 503 from now on), lets requests in flight end, and cuts what is left after 10 seconds.
 * `closeSockets` ends what the server no longer counts as its own: the upgraded connections.
 */
export async function shutDown(
  server: Server,
  http: Pick<HttpScope, "isDraining">,
  closeSockets: () => Promise<void> = async () => {},
): Promise<void> {
  http.isDraining = true;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const closeUnused = () => {
    // A kept-alive connection becomes idle, and closable, only when its request has ended.
    server.closeIdleConnections();
    for (const socket of connections.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy();
  };
  closeUnused();
  const sweep = setInterval(closeUnused, SWEEP_EVERY_MS);
  let cut: NodeJS.Timeout | undefined;
  const overdue = new Promise<void>((resolve) => {
    cut = setTimeout(resolve, GRACE_MS);
  });
  await Promise.race([Promise.all([closed, closeSockets()]), overdue]);
  server.closeAllConnections();
  clearInterval(sweep);
  clearTimeout(cut);
}
