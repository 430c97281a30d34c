const elsewhereWays = ["phone", "hiveauth", "ecency", "hivesigner"] as const;

/** A wallet outside of this page: Keychain's app on a phone, or any wallet of another service. */
export type ElsewhereWay = (typeof elsewhereWays)[number];

/** Returns whether a value names a wallet outside of this page. */
export const isElsewhereWay = (way: unknown): way is ElsewhereWay =>
  elsewhereWays.some((known) => known === way);

/** A wallet that signs in: Keychain's extension in this browser, or one elsewhere. */
export type Way = "keychain" | ElsewhereWay;
