/** The request that is paid for. */
export type Target = { method: "GET" | "POST"; url: string };

/**
 * Returns whether a stored target is on this site: payments and claims are sent nowhere else.
 * @throws TypeError if it is no target
 */
export const isOnThisSite = ({ method, url }: Target): boolean =>
  ["GET", "POST"].includes(method) &&
  typeof url === "string" &&
  new URL(url, location.href).origin === location.origin;
