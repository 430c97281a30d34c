/** The pattern of an account name of 3 to 16 characters. */
export const ACCOUNT_NAME = /^(?=.{3,16}$)[a-z][a-z0-9-]+[a-z0-9](\.[a-z][a-z0-9-]+[a-z0-9])*$/;

/**
 * Returns whether `text` is a well-formed chain account name, without trimming or lower-casing it. The string
 * "undefined" is a valid name; the value `undefined` is not.
 */
export function isAccountName(text: string): boolean {
  return typeof text === "string" && ACCOUNT_NAME.test(text);
}
