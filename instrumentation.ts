/** Next calls this once before it serves. Faulty settings end the start here, whichever command started Next. */
export async function register(): Promise<void> {
  // Next replaces this by a constant, and omits code from the edge bundle that cannot run there.
  if (process.env.NEXT_RUNTIME === "nodejs") {
    const { beginUnderNext } = await import("./lib/services/begin-under-next.ts");
    beginUnderNext();
  }
}
