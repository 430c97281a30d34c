/** The time after which an unread body counts as abandoned. */
const UNREAD_MS = 600_000;

/**
 * Returns the same answer without buffering its stream, and calls `onEnd` once: with `true` if the caller
 * read the answer to its end, cancelled it or left it unread for ten minutes, and with `false` if the answer
 * broke off or `signal` aborted. The caller sees the end only once `onEnd` has resolved.
 */
export async function untilRead(
  response: Response,
  signal: AbortSignal,
  onEnd: (isRead: boolean) => Promise<void>,
): Promise<Response> {
  const { body, status, statusText, headers, url, redirected, type } = response;
  if (!body) {
    await onEnd(true);
    return response;
  }
  let isOver = false;
  const end = async (isRead: boolean) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    await onEnd(isRead);
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const giveTime = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void end(true), UNREAD_MS);
    (timer as { unref?: () => void }).unref?.();
  };
  giveTime();
  const reader = body.getReader();
  let isStopped = false;
  let stop = () => {};
  const watched = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // Node 20 can leave a read pending whose request is aborted before the first read.
        stop = () => {
          isStopped = true;
          reader.cancel(signal.reason).catch(() => {
            // The answer broke off by itself.
          });
          void end(false).then(() => controller.error(signal.reason));
        };
        if (signal.aborted) stop();
        else signal.addEventListener("abort", stop, { once: true });
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (isStopped) return;
          if (!done) {
            if (!isOver) giveTime();
            controller.enqueue(value);
            return;
          }
          await end(true);
          controller.close();
        } catch (error) {
          if (isStopped) return;
          await end(false);
          controller.error(error);
        }
      },
      async cancel(reason) {
        await end(true);
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  const given = { url, redirected, type };
  return Object.defineProperties(
    new Response(watched, { status, statusText, headers }),
    Object.fromEntries(Object.entries(given).map(([name, value]) => [name, { value }])),
  );
}
