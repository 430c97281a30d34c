/** Next calls this once before it serves: settings with faults end the start here, whoever started Next. */
export async function register(): Promise<void> {
  // Next replaces this by a constant, and leaves out of the edge's bundle what it can't run there.
  if (process.env.NEXT_RUNTIME === "nodejs") {
    const { beginUnderNext } = await import("./lib/services/begin-under-next.ts");
    beginUnderNext();
  }
}
