/** Returns the keys of the page's storage, sorted. */
export const storageKeys = (): string[] =>
  Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index) ?? "").sort();

/** Lets another page do something right before this one changes the storage next. */
export function interleave(otherPage: () => void) {
  const { setItem, removeItem } = localStorage;
  const before = () => {
    Object.assign(localStorage, { setItem, removeItem });
    otherPage();
  };
  localStorage.setItem = (key, value) => {
    before();
    setItem(key, value);
  };
  localStorage.removeItem = (key) => {
    before();
    removeItem(key);
  };
}

/** Fills a storage of so many characters but for a few of them, so that nothing further has room. */
export function fillStorage(maxCharacters: number, spare = 50) {
  const used = storageKeys().reduce(
    (sum, key) => sum + key.length + (localStorage.getItem(key)?.length ?? 0),
    0,
  );
  localStorage.setItem("filled", "x".repeat(maxCharacters - used - "filled".length - spare));
}
