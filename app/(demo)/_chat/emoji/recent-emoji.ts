import { keepText, readKept } from "../../_ui/kept-text.ts";
import { barEmoji, emojiOf, shortNameOf } from "./emojify.ts";

const MAX_KEPT = 16;
/** Maximum length of an emoji, even a joined one. */
const MAX_CHARACTERS = 40;

/** A sign that only emoji contain: a picture, a letter of a flag, or the frame of a key. */
const PICTURE = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u;

const keyOf = (username: string) => `hivegate.emoji.${username}`;
const isEmoji = (value: unknown): value is string =>
  typeof value === "string" && value.length <= MAX_CHARACTERS && PICTURE.test(value);

function readUsed(username: string): string[] {
  const kept = readKept(keyOf(username));
  return Array.isArray(kept) ? kept.filter(isEmoji).slice(0, MAX_KEPT) : [];
}

/**
 * Returns the characters that a person last used on this device, newest first, followed by the usual ones.
 */
export function recentEmoji(username: string): string[] {
  const usual = barEmoji.flatMap((name) => emojiOf(name) ?? []);
  return [...new Set([...readUsed(username), ...usual])].slice(0, MAX_KEPT);
}

/** Records on this device that a person used an emoji. */
export function rememberEmoji(username: string, character: string): void {
  if (!isEmoji(character)) return;
  const used = [...new Set([character, ...readUsed(username)])].slice(0, MAX_KEPT);
  keepText(keyOf(username), JSON.stringify(used));
}

/** Returns short names for the quick reactions: the most recently used emoji that Mattermost supports. */
export function quickReactionNames(username: string): string[] {
  return recentEmoji(username)
    .flatMap((character) => shortNameOf(character) ?? [])
    .slice(0, barEmoji.length);
}
