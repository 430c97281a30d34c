import type { ServerResponse } from "node:http";

/** The first line of an answer that delivers: not of an informational one, nor of Node's answers to broken requests. */
const delivers = /^HTTP\/1\.[01] (?:101|[23]\d\d)/;

/**
 * Calls `onSent` once an answer, or anything on an upgraded connection, is written to the socket of a response, past its
 * methods, and holds it until `onSent` has resolved: with false, the connection is closed instead, even if the handler has
 * detached it from the response. Returns the function that ends this.
 */
export function watchSocket(response: ServerResponse, onSent: () => Promise<boolean>): () => void {
  let stop = () => {};
  const watch = () => {
    const { socket } = response;
    // HTTP/2 allows no writing to its socket.
    if (response.req.httpVersionMajor > 1 || typeof socket?.write !== "function") return;
    const { write, end } = socket;
    const own = { write: Object.hasOwn(socket, "write"), end: Object.hasOwn(socket, "end") };
    let isWatching = true;
    let held: Array<() => void> | null = null;
    const isUpgraded = "upgrade" in response.req && response.req.upgrade === true;
    const isContent = (start: string) => delivers.test(start) || (isUpgraded && !start.startsWith("HTTP/1."));
    const watched = (method: typeof write | typeof end) =>
      function watchedWrite(...given: unknown[]) {
        const next = () => Reflect.apply(method, socket, given) as unknown;
        if (held) held.push(next);
        else if (isWatching && isContent(startOf(given[0]))) {
          held = [next];
          const putBack = stop;
          stop = () => {};
          void onSent().then((isRecorded) => {
            putBack();
            if (!isRecorded) socket.destroy();
            const all = held ?? [];
            held = null;
            for (const one of all) one();
          });
        } else return next();
        return method === write || socket;
      };
    const watching = { write: watched(write), end: watched(end) };
    Object.assign(socket, watching);
    stop = () => {
      isWatching = false;
      for (const name of ["write", "end"] as const) {
        if ((socket[name] as unknown) !== watching[name]) continue;
        if (own[name]) Object.assign(socket, { [name]: name === "write" ? write : end });
        else Reflect.deleteProperty(socket, name);
      }
    };
  };
  // An earlier answer on the same connection has the socket first.
  if (response.socket) watch();
  else response.once("socket", watch);
  return () => {
    response.off("socket", watch);
    stop();
  };
}

function startOf(chunk: unknown): string {
  if (typeof chunk === "string") return chunk.slice(0, 12);
  return chunk instanceof Uint8Array ? Buffer.from(chunk.subarray(0, 12)).toString("latin1") : "";
}
