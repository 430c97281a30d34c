import { createKeptChoice } from "../../_ui/external-store.ts";

const modifiers = {
  light: "\u{1f3fb}",
  "medium-light": "\u{1f3fc}",
  medium: "\u{1f3fd}",
  "medium-dark": "\u{1f3fe}",
  dark: "\u{1f3ff}",
} as const;

type Tone = keyof typeof modifiers;
export type SkinTone = "none" | Tone;

const tones = Object.keys(modifiers) as Tone[];

/** The skin tone of emoji written in this browser. */
export const skinTone = createKeptChoice<SkinTone>("hivegate.skin-tone", "none", ...tones);

const isTone = (word: string): word is Tone => Object.hasOwn(modifiers, word);
const BASE = /^\p{Emoji_Modifier_Base}/u;
const NAME = /^(.+?)_(light|medium_light|medium|medium_dark|dark)_skin_tone$/;
const MODIFIER = /[\u{1f3fb}-\u{1f3ff}]/gu;

/** Returns an emoji in a skin tone, or unchanged if it has no skin. */
export function withTone(character: string, tone: SkinTone): string {
  if (tone === "none" || !BASE.test(character)) return character;
  const [base = ""] = character;
  return `${base}${modifiers[tone]}${character.slice(base.length).replace(/^\ufe0f/, "")}`;
}

/**
 * Splits a short name such as `wave_medium_skin_tone` into its name and tone, or returns null for any other
 * name.
 */
export function readToned(name: string): { name: string; tone: Tone } | null {
  const [, base = "", word = ""] = NAME.exec(name) ?? [];
  const tone = word.replace("_", "-");
  return isTone(tone) ? { name: base, tone } : null;
}

/** Splits an emoji into its form without a skin tone and the suffix for that tone in its short name. */
export function splitTone(character: string): { plain: string; suffix: string } {
  const found = character.match(MODIFIER) ?? [];
  const tone = tones.find((name) => modifiers[name] === found[0]);
  if (found.length !== 1 || !tone || character === found[0]) return { plain: character, suffix: "" };
  return { plain: character.replace(MODIFIER, ""), suffix: `_${tone.replace("-", "_")}_skin_tone` };
}
