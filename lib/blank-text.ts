/** White space, control characters, and characters that are invisible by Unicode's definition or in fonts. */
const NOTHING_TO_SEE = /^[\p{Z}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]*$/u;

/** Returns whether a text displays nothing: it is empty, or consists of spaces and invisible characters. */
export const isBlank = (text: string): boolean => NOTHING_TO_SEE.test(text);

/** A character reference in Markdown: by number, or by HTML name. */
const REFERENCE = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+\d*));/gi;

/** HTML names of invisible characters. */
const INVISIBLE_NAMES: ReadonlySet<string> = new Set([
  ...["Tab", "NewLine", "nbsp", "NonBreakingSpace", "ensp", "emsp", "emsp13", "emsp14", "numsp", "puncsp"],
  ...["thinsp", "ThinSpace", "hairsp", "VeryThinSpace", "MediumSpace", "ThickSpace", "ZeroWidthSpace"],
  ...["NegativeVeryThinSpace", "NegativeThinSpace", "NegativeMediumSpace", "NegativeThickSpace"],
  ...["zwnj", "zwj", "lrm", "rlm", "shy", "NoBreak", "af", "ApplyFunction", "it", "InvisibleTimes"],
  ...["ic", "InvisibleComma"],
]);

/** Returns whether a text displays nothing as Markdown, where `&nbsp;` and `&#8203;` are spaces. */
export const isBlankMarkdown = (text: string): boolean =>
  isBlank(
    text.replaceAll(REFERENCE, (reference, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return INVISIBLE_NAMES.has(name) ? " " : reference;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      // Markdown displays a replacement character for these numbers.
      return code === 0 || code > 0x10ffff ? reference : String.fromCodePoint(code);
    }),
  );
