const SHAPE = "[a-z0-9]{26}";

/** The pattern of Mattermost's ids and tokens. */
export const MATTERMOST_ID = new RegExp(`^${SHAPE}$`);

/** Returns a pattern for a whole text with ids, where `{id}` stands for one. */
export const withIds = (pattern: string) => new RegExp(pattern.replaceAll("{id}", SHAPE));
