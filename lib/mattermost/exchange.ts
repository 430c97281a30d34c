import type { Dispatcher } from "undici";
import type { Deadline } from "./deadline.ts";

/**
 * Sends a request and reads its answer whole as UTF-8 text. It fails beyond `limitBytes` and at the deadline, also while
 * it waits for a connection.
 */
export function exchange(
  pool: Dispatcher,
  request: Dispatcher.DispatchOptions,
  limitBytes: number,
  deadline: Deadline,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let status = 0;
    let isCut = false;
    let abort: () => void = () => undefined;
    deadline.onEnd(() => {
      isCut = true;
      abort();
      reject(new Error("given up"));
    });
    pool.dispatch(request, {
      onConnect(abortConnected) {
        if (isCut) abortConnected();
        abort = abortConnected;
      },
      // Informational ones come before the one that counts.
      onHeaders(statusCode) {
        status = statusCode;
        return true;
      },
      onData(chunk) {
        size += chunk.byteLength;
        if (size > limitBytes) throw new RangeError("the answer is too large");
        chunks.push(chunk);
        return true;
      },
      onComplete: () => resolve({ status, text: Buffer.concat(chunks).toString("utf8") }),
      onError: reject,
    });
  });
}
