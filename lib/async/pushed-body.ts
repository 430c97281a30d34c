/** The receiver of a body's chunks. */
export type ChunkReceiver = {
  /** Returns whether it has room for more. If not, it calls the body's `resume` later. */
  chunk(bytes: Uint8Array): boolean;
  end(): void;
  fail(error: unknown): void;
};

/** A body that its source pushes to one receiver, without the queue and the promises of a web stream. */
export type PushedBody = {
  /** Starts to push; nothing of the body has been lost until then. */
  begin(receiver: ChunkReceiver): void;
  resume(): void;
  /** Abandons the body, whose receiver is not called any more. */
  cancel(): void;
};

export const isPushed = (body: unknown): body is PushedBody =>
  typeof body === "object" && body !== null && "begin" in body;

/** Creates the web form of a body. */
export function toWebStream(body: PushedBody): ReadableStream<Uint8Array> {
  let hasBegun = false;
  let isWanted = false;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        isWanted = true;
        if (hasBegun) return body.resume();
        hasBegun = true;
        body.begin({
          chunk(bytes) {
            isWanted = false;
            // Sets `isWanted` again if the stream has another reader waiting.
            controller.enqueue(bytes);
            return isWanted;
          },
          end: () => controller.close(),
          fail: (error) => controller.error(error),
        });
      },
      cancel: () => body.cancel(),
    },
    { highWaterMark: 0 },
  );
}

/** Forwards a body of up to `limit` bytes; a longer one fails. */
export function limitPushed(body: PushedBody, limit: number): PushedBody {
  let size = 0;
  return {
    ...bound(body),
    begin(receiver) {
      body.begin({
        chunk(bytes) {
          size += bytes.byteLength;
          if (size <= limit) return receiver.chunk(bytes);
          body.cancel();
          receiver.fail(new RangeError("the body is too large"));
          return false;
        },
        end: () => receiver.end(),
        fail: (error) => receiver.fail(error),
      });
    },
  };
}

/** Reads a body to its end. @throws RangeError for one of more than `limit` bytes, which is abandoned */
export function readPushed(body: PushedBody, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    limitPushed(body, limit).begin({
      chunk: (bytes) => chunks.push(bytes) > 0,
      end: () => resolve(Buffer.concat(chunks)),
      fail: reject,
    });
  });
}

/**
 * Waits for the beginning of a body: returns all of it if it ends before `bytes`, otherwise a body that repeats the
 * beginning.
 * @throws Error if the body fails meanwhile
 */
export function holdBeginning(body: PushedBody, bytes: number): Promise<Uint8Array | PushedBody> {
  return new Promise((resolve, reject) => {
    const held: Uint8Array[] = [];
    let size = 0;
    let receiver: ChunkReceiver | null = null;
    let failure: { error: unknown } | null = null;
    const rest: PushedBody = {
      ...bound(body),
      begin(given) {
        receiver = given;
        if (failure) return given.fail(failure.error);
        let hasRoom = true;
        for (const chunk of held.splice(0)) hasRoom = given.chunk(chunk);
        if (hasRoom) body.resume();
      },
    };
    body.begin({
      chunk(chunk) {
        if (receiver) return receiver.chunk(chunk);
        held.push(chunk);
        size += chunk.byteLength;
        if (size < bytes) return true;
        resolve(rest);
        return false;
      },
      end() {
        if (receiver) receiver.end();
        else resolve(Buffer.concat(held));
      },
      fail(error) {
        failure = { error };
        if (receiver) receiver.fail(error);
        else reject(error);
      },
    });
  });
}

const bound = (body: PushedBody) => ({ resume: () => body.resume(), cancel: () => body.cancel() });
