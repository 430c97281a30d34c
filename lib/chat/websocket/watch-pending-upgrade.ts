import type { Duplex } from "node:stream";

const MAX_EARLY_BYTES = 64 * 1024;

/**
 * Keeps watch over a raw socket while its upgrade is being decided: only a socket that is read shows that the other
 * side left. `release` ends the watch and returns what the client has sent ahead of the answer.
 */
export function waitOnSocket(socket: Duplex, head: Buffer): { signal: AbortSignal; release(): Buffer } {
  const gone = new AbortController();
  const early = [head];
  let size = head.byteLength;
  const onData = (chunk: Buffer) => {
    early.push(chunk);
    size += chunk.byteLength;
    if (size > MAX_EARLY_BYTES) socket.destroy();
  };
  const onGone = () => gone.abort();
  socket.on("data", onData);
  socket.on("end", onGone);
  socket.on("close", onGone);
  return {
    signal: gone.signal,
    release() {
      socket.off("data", onData);
      socket.off("end", onGone);
      socket.off("close", onGone);
      return Buffer.concat(early);
    },
  };
}
