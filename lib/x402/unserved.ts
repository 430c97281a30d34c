/** Statuses below 500 with which a request was not served. */
export const unservedBelow500: readonly number[] = [408, 425, 429];

/**
 * Returns whether a status means that a request was not served: its payment stays valid, and the payer sends it again.
 */
export function isUnserved(status: number): boolean {
  return status >= 500 || unservedBelow500.includes(status);
}
