export const finalities = ["included", "irreversible"] as const;

/** The point from which a payment counts as paid: in any block, or in one that no fork can undo. */
export type Finality = (typeof finalities)[number];
