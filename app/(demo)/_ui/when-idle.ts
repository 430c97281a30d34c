/** The latest that anything waits for a page that always has something to do. */
const PATIENCE_MS = 3_000;
/** Where the browser does not tell when it has nothing to do. */
const USUAL_MS = 500;

/** Calls `act` once the page has nothing more urgent to do, such as to show its first message; what is returned calls it off. */
export function whenIdle(act: () => void): () => void {
  if (typeof requestIdleCallback === "undefined") {
    const timer = setTimeout(act, USUAL_MS);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(act, { timeout: PATIENCE_MS });
  return () => cancelIdleCallback(handle);
}
