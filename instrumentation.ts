/** Next calls this once before it serves. Invalid settings end the start here, whatever command started Next. */
export async function register(): Promise<void> {
  // Next replaces this expression by a constant, and omits from the edge bundle the code that cannot run
  // there.
  if (process.env.NEXT_RUNTIME === "nodejs") {
    const { beginUnderNext } = await import("./lib/services/begin-under-next.ts");
    beginUnderNext();
  }
}
