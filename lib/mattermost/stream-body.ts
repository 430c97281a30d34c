import type { Readable } from "node:stream";

/**
 * The web form of an answer's body, read as its reader asks. `Readable.toWeb` won't do: in Node 20 a reader that gives
 * up makes it throw where nobody can catch.
 */
export function streamBody(body: Readable): ReadableStream<Uint8Array> {
  // A body that is given up fails, and an error without a listener would end the process.
  body.on("error", () => undefined);
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel() {
        body.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}
