/** Names whose cookies this browser sends; empty for nobody's. */
const ENTERED = "hivegate.entered";

/** Has `act` called with who was there before whenever somebody else has come in or gone in another tab; ends with the call of what is returned. */
export function onOtherTab(act: (former: string | null) => void): () => void {
  const listener = ({ key, oldValue }: StorageEvent) => {
    if (key === ENTERED) act(oldValue);
  };
  window.addEventListener("storage", listener);
  return () => window.removeEventListener("storage", listener);
}

/** Tells the other tabs who has come in, when the browser has their cookies; null for nobody any more. */
export function tellOtherTabs(name: string | null): void {
  try {
    localStorage.setItem(ENTERED, name ?? "");
  } catch {
    // Then they find out by what they are refused.
  }
}
