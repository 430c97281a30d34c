/** Maximum wait if a page is never idle. */
const PATIENCE_MS = 3_000;
/** The wait in browsers that do not report idleness. */
const USUAL_MS = 500;

/**
 * Calls `act` once the page has nothing more urgent to do, such as showing its first message. The returned
 * function cancels it.
 */
export function whenIdle(act: () => void): () => void {
  if (typeof requestIdleCallback === "undefined") {
    const timer = setTimeout(act, USUAL_MS);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(act, { timeout: PATIENCE_MS });
  return () => cancelIdleCallback(handle);
}
