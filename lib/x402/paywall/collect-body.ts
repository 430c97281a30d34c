/**
 * Maximum content to hold back while its payment is not settled; beyond that, the payment is settled before
 * the rest exists.
 */
const MAX_COLLECTED_BYTES = 1_048_576;

/** Returns whether this many bytes of content are too many to hold back. */
export const isTooMuch = (bytes: number): boolean => bytes > MAX_COLLECTED_BYTES;

/** Returns whether the readers of a content type wait for each part of it. */
export const isLive = (contentType: unknown): boolean => /^text\/event-stream\b/i.test(String(contentType));

/**
 * Reads an answer to its end, or more than 1 MiB of it, and returns the same answer. Rejects if the producer
 * fails before that. An event stream is not read.
 */
export async function collectBody(response: Response, signal: AbortSignal): Promise<Response> {
  const { body, status, statusText, headers } = response;
  if (!body || isLive(headers.get("content-type"))) return response;
  const reader = body.getReader();
  const leave = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener("abort", leave, { once: true });
  const parts: Uint8Array[] = [];
  let bytes = 0;
  let isWhole = false;
  try {
    while (!isWhole && !isTooMuch(bytes)) {
      const { value } = await reader.read();
      if (value) parts.push(value);
      bytes += value?.byteLength ?? 0;
      isWhole = value === undefined;
    }
  } finally {
    signal.removeEventListener("abort", leave);
  }
  const collected = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = parts.shift() ?? (isWhole ? undefined : (await reader.read()).value);
        if (next) controller.enqueue(next);
        else controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return new Response(collected, { status, statusText, headers });
}
