/** Returns the account name in a typed text, which may have an `@`, capital letters, and spaces around it. */
export function readAccountName(typed: string): string {
  return typed.trim().replace(/^@/, "").toLowerCase();
}

/** Maximum length of an account field: the chain's longest name and an `@`. */
export const MAX_TYPED_NAME = 17;
