/** Puts the cursor into the composer of a channel (`rootId` empty) or thread. */
export function focusComposer(rootId: string): void {
  document.querySelector<HTMLElement>(`textarea[data-composer="${rootId}"]`)?.focus();
}
