import { createRequire } from "node:module";

// Required, not imported: Node wants an attribute on JSON imports that its oldest supported version spells differently.
const shortcodes = createRequire(import.meta.url)("emojibase-data/en/shortcodes/iamcal.json") as Record<
  string,
  string | string[]
>;

const names: ReadonlySet<string> = new Set([...Object.values(shortcodes).flat(), "mattermost"]);

const skinTone = /_(?:light|medium_light|medium|medium_dark|dark)_skin_tone$/;

/** Whether a reaction may name it: an emoji that every server has, with or without a skin tone. */
export function isKnownEmoji(name: string): boolean {
  return names.has(name) || names.has(name.replace(skinTone, ""));
}
