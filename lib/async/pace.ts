/** How slowly bytes may pass before they are cut off. */
export type Pace = { bytesPerSecond: number; graceMs: number };

const LOOK_EVERY_MS = 1000;

/**
 * Passes a stream on to a reader who takes at least so many bytes a second after the grace. A slower reader gets an error,
 * and `onSlow` is called. `now` is a monotonic clock in ms.
 */
export function keepPace(
  body: ReadableStream<Uint8Array>,
  { bytesPerSecond, graceMs }: Pace,
  onSlow: () => void,
  now: () => number = () => performance.now(),
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const startedAtMs = now();
  let passed = 0;
  let timer: NodeJS.Timeout | undefined;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        timer = setInterval(() => {
          const dueMs = now() - startedAtMs - graceMs;
          if (passed >= (dueMs / 1000) * bytesPerSecond) return;
          clearInterval(timer);
          controller.error(new Error("the reader takes the bytes too slowly"));
          reader.cancel().catch(() => undefined);
          onSlow();
        }, LOOK_EVERY_MS).unref();
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            clearInterval(timer);
            controller.close();
          } else {
            passed += value.byteLength;
            controller.enqueue(value);
          }
        } catch (error) {
          clearInterval(timer);
          controller.error(error);
        }
      },
      cancel(reason) {
        clearInterval(timer);
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
