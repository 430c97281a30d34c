import type { Server } from "node:http";
import { startDraining } from "./draining.ts";

const GRACE_MS = 10_000;
const SWEEP_EVERY_MS = 100;

/**
 * Stops taking connections, lets requests in flight end, and cuts what is left after 10 seconds.
 * `closeSockets` ends what the server no longer counts as its own: the upgraded connections.
 */
export async function shutDown(server: Server, closeSockets: () => Promise<void>): Promise<void> {
  startDraining();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A kept-alive connection becomes idle, and closable, only when its request has ended.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_EVERY_MS);
  let cut: NodeJS.Timeout | undefined;
  const overdue = new Promise<void>((resolve) => {
    cut = setTimeout(resolve, GRACE_MS);
  });
  await Promise.race([Promise.all([closed, closeSockets()]), overdue]);
  server.closeAllConnections();
  clearInterval(sweep);
  clearTimeout(cut);
}
