/** The time after the end of an offer in which its transfer still counts. */
export const LASTING_MS = 24 * 3_600_000;
/** Longer than any offer lasts that a seller makes. */
export const LONGEST_OFFER_MS = 24 * 3_600_000;
/** The most by which a seller's clock is assumed to be off. */
export const CLOCK_MS = 3_600_000;
/** The time from a transfer's block after which it counts for no ticket. */
export const LONGEST_LIFE_MS = LONGEST_OFFER_MS + LASTING_MS + CLOCK_MS;
/** The time in which uses are stored: much longer than any transfer counts, and than anything is said about a ticket. */
export const KEPT_SECONDS = 60 * 24 * 3600;
