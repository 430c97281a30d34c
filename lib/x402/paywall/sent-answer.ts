/** An answer as it was sent. */
export type SentAnswer = { status: number; headers: Array<[string, string]>; body: Uint8Array<ArrayBuffer> };

const MAX_BODY_BYTES = 65_536;

/** Headers of one connection or one moment, and the length, which follows from the stored body. */
const ofConnection = new Set([
  ...["connection", "keep-alive", "proxy-connection", "transfer-encoding", "trailer", "upgrade"],
  ...["content-length", "date"],
]);

/** Returns the headers of an answer that are sent again with it. */
export function keptHeaders(headers: Iterable<[string, string]>): Array<[string, string]> {
  return [...headers].filter(([name]) => !ofConnection.has(name.toLowerCase()));
}

/** Collects the body of an answer while it is sent. */
export type BodyCopy = {
  add(chunk: Uint8Array): void;
  /** Returns all of the body, or `null` if it is longer than 64 KiB. */
  whole(): Uint8Array<ArrayBuffer> | null;
};

/** Creates an empty copy. */
export function createBodyCopy(): BodyCopy {
  let bytes: Uint8Array<ArrayBuffer> | null = new Uint8Array(1024);
  let length = 0;
  return {
    add(chunk) {
      if (!bytes) return;
      const end = length + chunk.byteLength;
      if (end > MAX_BODY_BYTES) {
        bytes = null;
        return;
      }
      if (end > bytes.length) {
        const larger = new Uint8Array(Math.min(Math.max(2 * bytes.length, end), MAX_BODY_BYTES));
        larger.set(bytes);
        bytes = larger;
      }
      bytes.set(chunk, length);
      length = end;
    },
    whole: () => bytes?.slice(0, length) ?? null,
  };
}
