const SHAPE = "[a-z0-9]{26}";

/** Shape of Mattermost's ids, and of its tokens. */
export const MATTERMOST_ID = new RegExp(`^${SHAPE}$`);

/** Matches a whole text made of ids, where `{id}` stands for one in the pattern. */
export const withIds = (pattern: string) => new RegExp(pattern.replaceAll("{id}", SHAPE));
