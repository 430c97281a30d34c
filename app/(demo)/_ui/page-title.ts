import { useEffect } from "react";

/**
 * Sets the tab's title while the page is shown, instead of Next's title, which may arrive late; null leaves
 * Next's title.
 */
export function usePageTitle(title: string | null): void {
  useEffect(() => {
    if (title === null) return;
    const before = document.title;
    const show = () => {
      if (document.title !== title) document.title = title;
    };
    show();
    const watch = new MutationObserver(show);
    watch.observe(document.head, { childList: true, characterData: true, subtree: true });
    return () => {
      watch.disconnect();
      if (document.title === title) document.title = before;
    };
  }, [title]);
}
