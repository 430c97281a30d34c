import { setTimeout as sleep } from "node:timers/promises";
import { type Client, openWebsocket } from "../websocket/open-websocket.ts";

const RETRY_EVERY_MS = 50;
/** A process that is killed while it takes over a connection never answers it. Chat clients give up in the same time. */
const CONNECT_WITHIN_MS = 15_000;

type Frame = { event?: string; seq: number; data: Record<string, string> };

export type ResumingSocket = {
  /** People's messages, from `posted` events, in order of arrival, over all connections. */
  received: string[];
  /** Returns the number of connections that replaced an ended one. */
  reopened(): number;
  /**
   * Returns how often a new connection could not resume the ended one, so the events in between were not
   * sent.
   */
  begunAgain(): number;
  close(): void;
};

/**
 * Opens a persistent websocket, like the pages': when its connection ends, it opens another with the
 * connection's id and the next expected number, so that Mattermost sends the events in between.
 */
export async function openResumingSocket(gatewayUrl: string, pat: string): Promise<ResumingSocket> {
  const received: string[] = [];
  let connectionId = "";
  let nextSeq = 0;
  let reopened = 0;
  let begunAgain = 0;
  let isClosed = false;
  let client: Client;

  const take = ({ event, seq, data }: Frame) => {
    if (event === undefined) return;
    if (event === "hello") {
      if (connectionId !== "") begunAgain++;
      connectionId = data.connection_id ?? "";
      nextSeq = seq;
    }
    if (seq !== nextSeq) throw new Error(`event ${seq} came in the place of ${nextSeq}`);
    nextSeq += 1;
    if (event !== "posted") return;
    const post = JSON.parse(data.post ?? "{}") as { type?: string; message: string };
    if (!post.type) received.push(post.message);
  };

  const connect = async () => {
    const query = connectionId === "" ? "" : `?connection_id=${connectionId}&sequence_number=${nextSeq}`;
    const headers = { authorization: `Bearer ${pat}` };
    client = await openWebsocket(gatewayUrl, query, { headers, handshakeTimeout: CONNECT_WITHIN_MS });
    client.socket.on("message", (text: Buffer) => take(JSON.parse(text.toString())));
    for (const frame of client.messages) take(frame as Frame);
    void client.closed.then(() => reconnect());
  };
  const reconnect = async () => {
    while (!isClosed) {
      try {
        await connect();
        reopened++;
        return;
      } catch {
        await sleep(RETRY_EVERY_MS);
      }
    }
  };

  await connect();
  return {
    received,
    reopened: () => reopened,
    begunAgain: () => begunAgain,
    close() {
      isClosed = true;
      client.socket.terminate();
    },
  };
}
