import type { Answer } from "./headers.ts";

/** A body of several chunks: the first has been read, the next is being read. */
export type LongBody = {
  first: Uint8Array;
  next: Promise<ReadableStreamReadResult<Uint8Array>>;
  reader: ReadableStreamDefaultReader<Uint8Array>;
};

/** An answer ready to send: a short body is complete and has its length, whichever server sends it. */
export type OutgoingAnswer = {
  status: number;
  headers: Array<[name: string, value: string]>;
  body: string | Uint8Array | LongBody | null;
};

/** Prepares an answer for sending. `onReader` is called with the reader of a streamed body before its first read. */
export async function prepareAnswer(
  { status, headers: given, body }: Answer,
  method: string | undefined,
  onReader: (reader: LongBody["reader"]) => void = () => {},
): Promise<OutgoingAnswer> {
  const headers = [...given];
  const setLength = (bytes: number) => {
    if (!given.has("content-length")) headers.push(["content-length", String(bytes)]);
  };
  const hasNoContent = status === 204 || status === 304;
  if (hasNoContent || method === "HEAD") {
    if (body instanceof ReadableStream) body.cancel().catch(() => undefined);
    else if (!hasNoContent && body !== null) setLength(Buffer.byteLength(body));
    return { status, headers, body: null };
  }
  if (body === null || typeof body === "string") {
    setLength(Buffer.byteLength(body ?? ""));
    return { status, headers, body };
  }
  const reader = body.getReader();
  onReader(reader);
  const first = await reader.read();
  const next = reader.read();
  if (!first.done && !(await isDoneAtOnce(next)))
    return { status, headers, body: { first: first.value, next, reader } };
  const bytes = first.value ?? new Uint8Array();
  setLength(bytes.byteLength);
  return { status, headers, body: bytes };
}

/**
 * Returns whether the body has ended already. Short answers are a single chunk: if that is known before the head is
 * written, they are sent with a length and in one packet.
 */
function isDoneAtOnce(next: LongBody["next"]): Promise<boolean> {
  return Promise.race([
    next.then(
      ({ done }) => done,
      () => false,
    ),
    new Promise<boolean>((resolve) => setImmediate(resolve, false)),
  ]);
}

/** Creates the web form of an answer, with the headers and the body that a node response would have. */
export async function toWebResponse(answer: Answer, method: string): Promise<Response> {
  const { status, headers, body } = await prepareAnswer(answer, method);
  const isLong = body !== null && typeof body === "object" && "reader" in body;
  // TypeScript 5.9 distinguishes arrays of shared memory, which `Response` does not accept and this code never creates.
  return new Response(isLong ? streamOf(body) : (body as BodyInit | null), { status, headers });
}

function streamOf({ first, next, reader }: LongBody): ReadableStream<Uint8Array> {
  let following: LongBody["next"] | null = next;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(first);
      },
      async pull(controller) {
        const { done, value } = await (following ?? reader.read());
        following = null;
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
