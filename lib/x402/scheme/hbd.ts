/** HBD as the official packages describe an asset that is worth a dollar. */
export const HBD = { asset: "HBD", decimals: 3, symbol: "HBD" } as const;
