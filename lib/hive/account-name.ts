const accountName = /^(?=.{3,16}$)[a-z][a-z0-9-]+[a-z0-9](\.[a-z][a-z0-9-]+[a-z0-9])*$/;

/** Tells whether `text` is a well-formed chain account name, compared exactly: no trimming, no lower-casing. */
export function isAccountName(text: string): boolean {
  return accountName.test(text);
}
