import type { Readable } from "node:stream";

/** Reads a stream as UTF-8 text; destroys it beyond `limitBytes`. */
export async function readLimited(stream: Readable, limitBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    // Leaving the loop destroys the stream.
    if (size > limitBytes) throw new RangeError("the answer is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
