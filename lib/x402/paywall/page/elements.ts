/** Returns an element of the page's own HTML, which the server writes in `payment-page.ts`. */
export function byId<E extends HTMLElement = HTMLElement>(id: string): E {
  return document.getElementById(id) as E;
}

/** Shows a sentence below the form, where screen readers announce it. */
export function say(text: string): void {
  byId("status").textContent = text;
}
