/** White space, control characters, and characters that Unicode or their fonts show as nothing. */
const NOTHING_TO_SEE = /^[\p{Z}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]*$/u;

/** Returns whether a text shows nothing: it is empty, or made of spaces and invisible characters alone. */
export const isBlank = (text: string): boolean => NOTHING_TO_SEE.test(text);
