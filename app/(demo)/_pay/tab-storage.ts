/** What this tab keeps under a key; null where there is nothing or the browser keeps nothing. */
export function readTab(key: string): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Keeps a text for this tab, as long as the browser lets it. */
export function writeTab(key: string, text: string): void {
  try {
    sessionStorage.setItem(key, text);
  } catch {
    // Private windows may refuse; the value lives on in the page.
  }
}
