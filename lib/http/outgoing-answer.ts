import { textOf } from "../async/json-response.ts";
import { isPushed, type PushedBody, toWebStream } from "../async/pushed-body.ts";
import type { Answer, AnswerHeaders } from "./headers.ts";

/** A body of several chunks: the first has been read, the next is being read. */
export type LongBody = {
  first: Uint8Array;
  next: Promise<ReadableStreamReadResult<Uint8Array>>;
  reader: ReadableStreamDefaultReader<Uint8Array>;
};

/** An answer ready to send: a short body is complete and has its length, whichever server sends it. */
export type OutgoingAnswer = {
  status: number;
  headers: AnswerHeaders;
  body: string | Uint8Array | PushedBody | LongBody | null;
};

/** Returns the body of an answer, as a text if it is available as one. */
export const bodyOf = (answer: Answer): Answer["body"] =>
  (answer instanceof Response ? textOf(answer) : undefined) ?? answer.body;

/** Returns whether an answer is sent without its body. */
export const isEmptied = ({ status }: Pick<Answer, "status">, method: string | undefined): boolean =>
  status === 204 || status === 304 || method === "HEAD";

/** Returns the headers, copied because those of a `Response` may be immutable. */
export const ownHeaders = ({ headers }: Answer): AnswerHeaders =>
  headers instanceof Headers ? new Headers(headers) : headers;

function setLength(headers: AnswerHeaders, bytes: number): void {
  if (!headers.has("content-length")) headers.set("content-length", String(bytes));
}

/** Prepares an answer whose body is complete, or is not sent. */
export function prepareComplete(answer: Answer, method: string | undefined): OutgoingAnswer {
  const { status } = answer;
  const body = bodyOf(answer);
  const headers = ownHeaders(answer);
  if (body instanceof ReadableStream) {
    body.cancel().catch(() => undefined);
    return { status, headers, body: null };
  }
  if (isPushed(body)) {
    body.cancel();
    return { status, headers, body: null };
  }
  const isSent = !isEmptied(answer, method);
  // A HEAD request gets the length of the body, if there is one, but not the body itself.
  if (isSent || (method === "HEAD" && body !== null && status !== 204 && status !== 304))
    setLength(headers, Buffer.byteLength(body ?? ""));
  return { status, headers, body: isSent ? body : null };
}

/** Prepares an answer for sending. `onReader` is called with the reader of a streamed body before its first read. */
export async function prepareAnswer(
  answer: Answer,
  method: string | undefined,
  onReader: (reader: LongBody["reader"]) => void = () => {},
): Promise<OutgoingAnswer> {
  const { status } = answer;
  const body = bodyOf(answer);
  if (isEmptied(answer, method)) return prepareComplete(answer, method);
  if (isPushed(body)) return { status, headers: ownHeaders(answer), body };
  if (!(body instanceof ReadableStream)) return prepareComplete(answer, method);
  const headers = ownHeaders(answer);
  const reader = body.getReader();
  onReader(reader);
  const first = await reader.read();
  const next = reader.read();
  if (!first.done && !(await isDoneAtOnce(next)))
    return { status, headers, body: { first: first.value, next, reader } };
  const bytes = first.value ?? new Uint8Array();
  setLength(headers, bytes.byteLength);
  return { status, headers, body: bytes };
}

/**
 * Returns whether the body has ended already. A short answer is a single chunk. If this is known before the
 * head is written, the answer is sent with a length and in one packet.
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
  // TypeScript 5.9 distinguishes arrays of shared memory, which `Response` does not accept and this code never creates.
  return new Response(webBodyOf(body) as BodyInit | null, { status, headers: [...headers] });
}

function webBodyOf(body: OutgoingAnswer["body"]): ReadableStream<Uint8Array> | Uint8Array | string | null {
  if (isPushed(body)) return toWebStream(body);
  return body !== null && typeof body === "object" && "reader" in body ? streamOf(body) : body;
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
