import { texts } from "./data.ts";

const SHOWN_MS = 2000;

/** Shows the buttons that copy the text next to them. Without a clipboard, the text can still be selected. */
export function showCopyButtons(): void {
  if (!navigator.clipboard) return;
  for (const button of document.querySelectorAll<HTMLButtonElement>(".copy")) {
    button.hidden = false;
    button.onclick = () => {
      navigator.clipboard.writeText(button.value).then(
        () => confirmBeside(button),
        () => {
          // The browser does not allow copying, but the text can still be selected.
        },
      );
    };
  }
}

function confirmBeside({ nextElementSibling: status }: HTMLElement): void {
  if (!status) return;
  status.textContent = texts.copied;
  setTimeout(() => {
    status.textContent = "";
  }, SHOWN_MS);
}
