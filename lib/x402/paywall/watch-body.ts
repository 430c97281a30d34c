import type { ServerResponse } from "node:http";
import { endOfAnswer } from "../../async/end-of-answer.ts";
import type { Delivery } from "./take-payment.ts";

/** A server that asks for no more of the content for so long has dropped it, or its reader stands still. */
const STANDSTILL_MS = 60_000;

/**
 * Returns the same answer, its stream unbuffered, and ends the delivery: broken off when the maker of the content fails, or
 * its reader leaves before its end, and else whole. That is when `outgoing` was handed to the system, where there is such
 * a response. Elsewhere it is once a reader asks for more than all, or than as many bytes as `content-length` says.
 */
export function endWithBody(
  response: Response,
  request: Request,
  delivery: Delivery,
  outgoing?: ServerResponse,
): Response {
  const { body, status, statusText, headers } = response;
  const length = Number(headers.get("content-length") ?? Number.NaN);
  let sent = 0;
  let isRead = body === null;
  let isOver = false;
  let standstill: ReturnType<typeof setTimeout> | undefined;
  const end = (isWhole: boolean) => {
    if (isOver) return;
    isOver = true;
    const hasBegun = sent > 0 && outgoing?.headersSent !== false;
    delivery.end(isWhole ? "whole" : hasBegun ? "broken" : "unsent");
    clearTimeout(standstill);
    request.signal.removeEventListener("abort", leave);
  };
  const leave = () => end(false);
  const isSent = outgoing && endOfAnswer(outgoing);
  void isSent?.then((isWhole) => end(isWhole && isRead));
  if (!body) {
    if (!isSent) end(true);
    return response;
  }
  // A server that finds the connection closed may drop the body without a word.
  if (request.signal.aborted) leave();
  else request.signal.addEventListener("abort", leave, { once: true });
  const awaitReader = () => {
    if (isOver || isSent) return;
    standstill = setTimeout(leave, STANDSTILL_MS);
    (standstill as { unref?: () => void }).unref?.();
  };
  awaitReader();
  const reader = body.getReader();
  const readNext = async (): Promise<Uint8Array | undefined> => {
    if (!(sent >= length)) return (await reader.read()).value;
    // Its maker may stall now, or go on; mostly it has no more to say than that this is the end.
    reader.read().then(
      ({ value }) => value && reader.cancel(),
      () => undefined,
    );
    return undefined;
  };
  const watched = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(standstill);
        try {
          const chunk = await readNext();
          if (chunk) {
            sent += chunk.byteLength;
            controller.enqueue(chunk);
            awaitReader();
            return;
          }
          isRead = !(sent < length);
          if (!isRead || !isSent) end(isRead);
          controller.close();
        } catch (error) {
          end(false);
          controller.error(error);
        }
      },
      async cancel(reason) {
        end(false);
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(watched, { status, statusText, headers });
}
