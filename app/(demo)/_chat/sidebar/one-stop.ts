/** Selector of the elements that the arrow keys reach. */
const ITEM = "a, button";
const BESIDE = "[data-beside]";

/**
 * Makes a list of links and buttons one Tab stop: the element that last had the focus or, without one, the
 * open page. The arrow keys, Home and End move along the list; Left and Right reach the menu of a row. Call
 * the returned function to stop.
 */
export function makeOneStop(place: HTMLElement): () => void {
  let last: HTMLElement | null = null;
  const all = () => [...place.querySelectorAll<HTMLElement>(ITEM)];
  const items = () => all().filter((one) => !one.closest(BESIDE));
  const settle = () => {
    const rows = items();
    const stop = rows.find((one) => one === last) ?? rows.find((one) => one.ariaCurrent) ?? rows[0];
    for (const one of all()) one.tabIndex = one === stop ? 0 : -1;
  };
  const onFocus = ({ target }: FocusEvent) => {
    const row = (target as HTMLElement).closest("li");
    last = row?.querySelector<HTMLElement>(ITEM) ?? (target as HTMLElement);
    settle();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const next = leadTo(event.key, items(), last);
    if (!next) return;
    event.preventDefault();
    next.focus();
  };
  settle();
  const rows = new MutationObserver(settle);
  rows.observe(place, { subtree: true, childList: true, attributeFilter: ["aria-current"] });
  place.addEventListener("focusin", onFocus);
  place.addEventListener("keydown", onKey);
  return () => {
    rows.disconnect();
    place.removeEventListener("focusin", onFocus);
    place.removeEventListener("keydown", onKey);
  };
}

function leadTo(
  key: string,
  items: HTMLElement[],
  present: HTMLElement | null,
): HTMLElement | null | undefined {
  const at = present ? items.indexOf(present) : -1;
  if (key === "ArrowDown") return items[at + 1];
  if (key === "ArrowUp") return items[at - 1];
  if (key === "Home") return items[0];
  if (key === "End") return items.at(-1);
  if (key !== "ArrowRight" && key !== "ArrowLeft") return null;
  const menu = present?.closest("li")?.querySelector<HTMLElement>(`${BESIDE} button`);
  return document.activeElement === present ? menu : present;
}
