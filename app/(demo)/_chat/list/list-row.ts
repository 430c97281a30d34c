/** What a list knows of a row: a key that stays its own. */
export type ListRow = { key: string };
