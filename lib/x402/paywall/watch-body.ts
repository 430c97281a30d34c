import type { Delivery } from "./take-payment.ts";

/** A server that asks for no more of the content for so long has dropped it, or its reader stands still. */
const STANDSTILL_MS = 60_000;

/**
 * Returns the same answer, its stream unbuffered, and ends the delivery with the end of that stream: whole when all of it was
 * read, or as many bytes as `content-length` says; broken off when its maker fails, or its reader leaves before.
 */
export function endWithBody(response: Response, request: Request, delivery: Delivery): Response {
  const { body, status, statusText, headers } = response;
  if (!body) {
    delivery.end("whole");
    return response;
  }
  const reader = body.getReader();
  const length = Number(headers.get("content-length") ?? Number.NaN);
  let sent = 0;
  let isOver = false;
  let standstill: ReturnType<typeof setTimeout> | undefined;
  const end = (isWhole: boolean) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(standstill);
    request.signal.removeEventListener("abort", leave);
    delivery.end(isWhole ? "whole" : sent > 0 ? "broken" : "unsent");
  };
  // A server that finds the connection closed may drop the body without a word.
  const leave = () => end(false);
  if (request.signal.aborted) leave();
  else request.signal.addEventListener("abort", leave, { once: true });
  const awaitReader = () => {
    if (isOver) return;
    standstill = setTimeout(leave, STANDSTILL_MS);
    (standstill as { unref?: () => void }).unref?.();
  };
  awaitReader();
  const watched = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(standstill);
        try {
          const { done, value } = await reader.read();
          if (done) {
            end(!(sent < length));
            controller.close();
            return;
          }
          sent += value.byteLength;
          if (sent >= length) end(true);
          controller.enqueue(value);
          awaitReader();
        } catch (error) {
          end(false);
          controller.error(error);
        }
      },
      cancel(reason) {
        end(false);
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(watched, { status, statusText, headers });
}
