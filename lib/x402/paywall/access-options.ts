/** Lets a paywall store purchases, so that no one pays twice for the same thing. */
export type AccessOptions<Request = unknown> = {
  /** The time for which a payer can return after a delivery: `"30d"`, `"12h"` or `"90m"`. */
  for: string;
  /**
   * Names the purchase if several addresses open the same thing (default: method and address). Required if
   * `amount` is a function, because one address can then stand for things of different prices. A purchase
   * opens nothing more expensive.
   */
  key?: string | ((request: Request) => string | Promise<string>);
  /**
   * Returns the account that a request authenticates, for instance by its session, or `null`. Without it,
   * accounts return only by a signature.
   */
  account?: (request: Request) => string | null | Promise<string | null>;
};

const unitSeconds: Record<string, number> = { m: 60, h: 3600, d: 86_400 };

/** Parses the time for which a purchase is stored, into seconds; `null` for any other text. */
export function readAccessSeconds(text: unknown): number | null {
  const [, count, unit = ""] = /^([1-9]\d{0,4})([mhd])$/.exec(String(text)) ?? [];
  return count === undefined ? null : Number(count) * (unitSeconds[unit] ?? 0);
}
