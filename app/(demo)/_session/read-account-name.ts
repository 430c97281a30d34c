/** The account that somebody means who types a name as they write it elsewhere: with an `@`, a capital or a blank. */
export function readAccountName(typed: string): string {
  return typed.trim().replace(/^@/, "").toLowerCase();
}

/** What a field for an account takes: the chain's longest name and an `@`. */
export const MAX_TYPED_NAME = 17;
