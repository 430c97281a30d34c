import { emojify } from "./emojify.ts";

const MOST = 10;
const EMOJI = /^(?:\p{Emoji_Presentation}|\p{Emoji}\ufe0f|\p{Emoji}\p{Emoji_Modifier}|[#*\d]\ufe0f?\u20e3)/u;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Returns whether a text is one emoji or a few and nothing else, so that it may be shown large. */
export function isEmojiOnly(text: string): boolean {
  const plain = emojify(text).replace(/\s+/g, "");
  if (plain === "" || plain.length > MOST * 16) return false;
  const parts = [...graphemes.segment(plain)];
  return parts.length <= MOST && parts.every(({ segment }) => EMOJI.test(segment));
}
