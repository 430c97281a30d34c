import type { ServerResponse } from "node:http";
import { endOfAnswer } from "../../async/end-of-answer.ts";
import { answerWithin } from "../../async/time-limits.ts";
import type { Delivery } from "./take-payment.ts";

/** A server that asks for no more of the content for so long has dropped it, or its reader stands still. */
const STANDSTILL_MS = 60_000;
/** The end of the content waits no longer for the record of its delivery: a store that is down hangs no answer. */
const RECORD_MS = 3000;

/**
 * Returns the same answer, its stream unbuffered, and ends the delivery: broken off when the maker of the content fails, or
 * its reader leaves before its end, and else whole. That is when `outgoing` was handed to the system, where there is such
 * a response. Elsewhere it is once a reader asks for more than all, or than as many bytes as `content-length` says; it
 * sees the end when that is written down, because some servers stop the process then.
 */
export async function endWithBody(
  response: Response,
  request: Request,
  delivery: Delivery,
  outgoing?: ServerResponse,
): Promise<Response> {
  const { body, status, statusText, headers } = response;
  const length = Number(headers.get("content-length") ?? Number.NaN);
  let sent = 0;
  let isRead = body === null;
  let record: Promise<void> | undefined;
  let standstill: ReturnType<typeof setTimeout> | undefined;
  const end = (isWhole: boolean): Promise<void> => {
    const hasBegun = sent > 0 && outgoing?.headersSent !== false;
    record ??= delivery.end(isWhole ? "whole" : hasBegun ? "broken" : "unsent");
    clearTimeout(standstill);
    request.signal.removeEventListener("abort", leave);
    return writtenSoon(record);
  };
  const leave = () => void end(false);
  const isSent = outgoing && endOfAnswer(outgoing);
  void isSent?.then((isWhole) => end(isWhole && isRead));
  if (!body) {
    if (!isSent) await end(true);
    return response;
  }
  // A server that finds the connection closed may drop the body without a word.
  if (request.signal.aborted) leave();
  else request.signal.addEventListener("abort", leave, { once: true });
  const awaitReader = () => {
    if (record || isSent) return;
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
          if (!isRead || !isSent) await end(isRead);
          controller.close();
        } catch (error) {
          await end(false);
          controller.error(error);
        }
      },
      async cancel(reason) {
        // The maker of the content stops at once, also while the store is down.
        await Promise.all([end(false), reader.cancel(reason)]);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(watched, { status, statusText, headers });
}

/** Waits a few seconds until the end of a delivery is written down. */
export function writtenSoon(record: Promise<void>): Promise<void> {
  return answerWithin(RECORD_MS, () => record).catch(() => {
    // It goes on being tried.
  });
}
