import { keepText } from "../_ui/kept-text.ts";

/** Name of the user whose cookies this browser sends; empty for none. */
const ENTERED = "hivegate.entered";

/** Calls `act` with the former user when a user signs in or out in another tab; the returned function ends that. */
export function onOtherTab(act: (former: string | null) => void): () => void {
  const listener = ({ key, oldValue }: StorageEvent) => {
    if (key === ENTERED) act(oldValue);
  };
  window.addEventListener("storage", listener);
  return () => window.removeEventListener("storage", listener);
}

/**
 * Reports to other tabs which user signed in, once the browser has their cookies; null for a sign-out. Without storage
 * they notice by being refused.
 */
export function tellOtherTabs(name: string | null): void {
  keepText(ENTERED, name ?? "");
}
