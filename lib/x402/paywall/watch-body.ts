import type { ServerResponse } from "node:http";
import { endOfAnswer } from "../../async/end-of-answer.ts";
import { answerWithin } from "../../async/time-limits.ts";
import type { Delivery } from "./decision.ts";
import { createBodyCopy, keptHeaders, type SentAnswer } from "./sent-answer.ts";

/** A server that requests no content for this long has dropped it, or its reader has stalled. */
const STANDSTILL_MS = 60_000;
/**
 * Maximum time that the end of the content waits for the record of its delivery, so that a failing store does
 * not hang an answer.
 */
const RECORD_MS = 3000;

/**
 * Returns the same answer without buffering its stream, and ends the delivery: broken off if the content's
 * producer fails or its reader leaves before the end, otherwise complete. If there is an `outgoing` response,
 * the delivery is complete when the operating system accepted all of it. Otherwise it is complete once a
 * reader asks for more after the end, or has read as many bytes as `content-length` declares. The reader sees
 * the end only after the delivery is recorded, because some servers stop the process then.
 */
export async function endWithBody(
  response: Response,
  request: Request,
  delivery: Delivery,
  outgoing?: ServerResponse,
): Promise<Response> {
  const { body, status, statusText, headers } = response;
  const length = Number(headers.get("content-length") ?? Number.NaN);
  const copy = delivery.keepsAnswer ? createBodyCopy() : null;
  const answer = (): SentAnswer | null => {
    const whole = copy?.whole();
    return whole ? { status, headers: keptHeaders(headers), body: whole } : null;
  };
  let sent = 0;
  let isRead = body === null;
  let record: Promise<void> | undefined;
  let standstill: ReturnType<typeof setTimeout> | undefined;
  const end = (isWhole: boolean): Promise<void> => {
    const hasBegun = sent > 0 && outgoing?.headersSent !== false;
    record ??= isWhole ? delivery.end("whole", answer()) : delivery.end(hasBegun ? "broken" : "unsent");
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
  // A server that finds the connection closed can drop the body silently.
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
    // The producer can stall now or continue; usually only the end follows.
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
            copy?.add(chunk);
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
        // Cancelling stops the producer at once, even while the store is down.
        await Promise.all([end(false), reader.cancel(reason)]);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(watched, { status, statusText, headers });
}

/** Waits a few seconds until the end of a delivery is recorded. */
export function writtenSoon(record: Promise<void>): Promise<void> {
  return answerWithin(RECORD_MS, () => record).catch(() => {
    // Ignored: further attempts continue in the background.
  });
}
