import { keepText } from "../_ui/kept-text.ts";

/** Key for the name of the user whose cookies this browser sends; the name is empty if there is none. */
const ENTERED = "hivegate.entered";

/**
 * Calls `act` with the former user when a user signs in or out in another tab. Call the returned function to
 * stop.
 */
export function onOtherTab(act: (former: string | null) => void): () => void {
  const listener = ({ key, oldValue }: StorageEvent) => {
    if (key === ENTERED) act(oldValue);
  };
  window.addEventListener("storage", listener);
  return () => window.removeEventListener("storage", listener);
}

/**
 * Reports to other tabs which user signed in, once the browser has their cookies; null reports a sign-out.
 * Without storage, other tabs notice when they are refused.
 */
export function tellOtherTabs(name: string | null): void {
  keepText(ENTERED, name ?? "");
}
