import type { WebSocket } from "ws";

/** How long a peer may take to answer a close frame; then its connection is cut. */
export const CLOSE_TIMEOUT_MS = 900;

/** 1005, 1006 and 1015 stand for "no code came", so no frame can carry them (RFC 6455, 7.4.1). */
function isSendable(code: number): boolean {
  return (
    (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999)
  );
}

/** A close code as a label of few values: clients choose any of 2000 codes above the protocol's own. */
export function labelOfClose(code: number): string {
  if (code < 3000) return String(code);
  return code < 4000 ? "3xxx" : "4xxx";
}

/** Hands a close on to the other side. */
export function closePeer(peer: WebSocket, code: number, reason: Buffer | string): void {
  // A paused peer would never see the answer to its close frame.
  peer.resume();
  if (isSendable(code)) peer.close(code, reason);
  else peer.close();
}
