import { readToned, splitTone, withTone } from "./skin-tone.ts";

/** The emoji that are offered first and before the whole table has loaded, by Mattermost's names. */
const quickEmoji: Readonly<Record<string, string>> = {
  "+1": "👍",
  "-1": "👎",
  thumbsup: "👍",
  thumbsdown: "👎",
  ok_hand: "👌",
  heart: "❤️",
  joy: "😂",
  smile: "😄",
  tada: "🎉",
  eyes: "👀",
  pray: "🙏",
  fire: "🔥",
  rocket: "🚀",
  white_check_mark: "✅",
  wave: "👋",
  thinking_face: "🤔",
  cry: "😢",
  honeybee: "🐝",
  camera: "📷",
  clap: "👏",
  bulb: "💡",
  slightly_smiling_face: "🙂",
};

/** The reactions in the bar above a message. */
export const barEmoji = ["+1", "heart", "joy", "tada", "eyes"] as const;

const SHORT_NAME = /:([a-z0-9_+-]{1,64}):/g;
const NAMES = "(?::[a-z0-9_+-]{1,64}:)+";
/** Scripts written without spaces, in which a word may directly touch an emoji. */
const UNSPACED =
  "[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmr}\\p{scx=Mymr}]";
/**
 * Characters of code and paths after which no emoji starts: `key=:ab:`, `{:cat: 1}`, `/:id:/`, `(x)?:o:y`.
 */
const CODE = "[={]|(?<!:)/|[)\\]] ?\\?";
/** A closing quotation mark or bracket. */
const CLOSED = `[^\\s*~([{‘“]['"\`]|[’”)\\]}]`;
/** The beginning of a value in code. */
const OPENED = "['\"`‘“([{$]";
/**
 * Consecutive short names that do not follow a word, number, code or another colon, and do not precede a
 * number or a lower-case word. An IPv6 address, a time, `a?b:o:x`, `:x:y` and `'b':o:'c'` contain none.
 */
const SHORT_NAMES = new RegExp(
  `(?<!(?!${UNSPACED})[\\p{L}\\p{N}]|[_:]|${CODE}|(?:${CLOSED})(?=${NAMES}${OPENED}))${NAMES}(?![\\p{Ll}\\d:_])`,
  "gu",
);
let table: Readonly<Record<string, string>> = quickEmoji;
let isWhole = false;
let loading: Promise<Readonly<Record<string, string>>> | null = null;

async function load(): Promise<Readonly<Record<string, string>>> {
  const response = await fetch("/emoji/short-names.json");
  if (!response.ok) throw new Error(`the emoji table answered ${response.status}`);
  table = { ...((await response.json()) as Record<string, string>), ...quickEmoji };
  isWhole = true;
  return table;
}

/** Loads the whole table of short names once. Until then only the common ones are available. */
export function loadEmojiTable(): Promise<Readonly<Record<string, string>>> {
  loading ??= load().catch((error: unknown) => {
    loading = null;
    throw error;
  });
  return loading;
}

/** Returns the character of a short name, with the skin tone that the name contains, or undefined. */
export function emojiOf(shortName: string): string | undefined {
  if (Object.hasOwn(table, shortName)) return table[shortName];
  const toned = readToned(shortName);
  const plain = toned && Object.hasOwn(table, toned.name) ? table[toned.name] : undefined;
  if (!toned || plain === undefined) return undefined;
  const character = withTone(plain, toned.tone);
  return character === plain ? undefined : character;
}

/** Returns whether a text or the name of a reaction may contain an emoji from the whole table. */
export function awaitsEmojiTable(text: string): boolean {
  if (isWhole) return false;
  return [...text.matchAll(SHORT_NAME)].some(([, name = ""]) => emojiOf(name) === undefined);
}

/** Returns the text with its known `:short_names:` replaced by emoji. */
export function emojify(text: string): string {
  return text.replace(SHORT_NAMES, (names) =>
    names.replace(SHORT_NAME, (whole, name: string) => emojiOf(name) ?? whole),
  );
}

const plainOf = (character: string) => splitTone(character).plain.replaceAll("\ufe0f", "");

const quickCharacters = new Set(Object.values(quickEmoji).map(plainOf));

/**
 * Returns emoji whose short name, or a word of it, starts with a part or contains it: recently used ones first, then
 * common ones, then by name. Each emoji appears once.
 */
export function findEmoji(
  part: string,
  atMost: number,
  used: readonly string[] = [],
): Array<{ name: string; character: string }> {
  const places = new Map(used.map((character, index) => [plainOf(character), index]));
  const found = Object.entries(table)
    .filter(([name]) => name.includes(part))
    .map(([name, character]) => {
      const plain = plainOf(character);
      const match = name.startsWith(part) ? 0 : name.includes(`_${part}`) ? 1 : 2;
      return { name, character, plain, match, place: places.get(plain) ?? used.length };
    })
    .sort(
      (a, b) =>
        a.match - b.match ||
        a.place - b.place ||
        Number(quickCharacters.has(b.plain)) - Number(quickCharacters.has(a.plain)) ||
        a.name.length - b.name.length,
    );
  const once = new Map<string, (typeof found)[number]>();
  for (const emoji of found) if (!once.has(emoji.plain)) once.set(emoji.plain, emoji);
  return [...once.values()].slice(0, atMost).map(({ name, character }) => ({ name, character }));
}

/** Returns the short name of a character that the picker returned. */
export function shortNameOf(character: string): string | undefined {
  const { suffix } = splitTone(character);
  const plain = plainOf(character);
  const name = Object.keys(table).find((name) => table[name]?.replaceAll("\ufe0f", "") === plain);
  return name === undefined ? undefined : `${name}${suffix}`;
}

const MOST = 10;
const EMOJI = /^(?:\p{Emoji_Presentation}|\p{Emoji}\ufe0f|\p{Emoji}\p{Emoji_Modifier}|[#*\d]\ufe0f?\u20e3)/u;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Returns whether a text consists of one or a few emoji, so it can be shown large. */
export function isEmojiOnly(text: string): boolean {
  const plain = emojify(text).replace(/\s+/g, "");
  if (!EMOJI.test(plain) || plain.length > MOST * 16) return false;
  const parts = [...graphemes.segment(plain)];
  return parts.length <= MOST && parts.every(({ segment }) => EMOJI.test(segment));
}
