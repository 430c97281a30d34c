/** Maximum length of a table cell that no line break splits if it contains a number. */
export const LONGEST_FIGURE = 32;
