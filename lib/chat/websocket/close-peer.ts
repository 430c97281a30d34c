import type { WebSocket } from "ws";

/** How long a peer may take to answer a close frame; then its connection is cut. */
export const CLOSE_TIMEOUT_MS = 900;

/** 1005, 1006 and 1015 stand for "no code came", so no frame can carry them (RFC 6455, 7.4.1). */
function isSendable(code: number): boolean {
  return (
    (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999)
  );
}

/** Hands a close on to the other side. */
export function closePeer(peer: WebSocket, code: number, reason: Buffer | string): void {
  // A paused peer would never see the answer to its close frame.
  peer.resume();
  if (isSendable(code)) peer.close(code, reason);
  else peer.close();
}
