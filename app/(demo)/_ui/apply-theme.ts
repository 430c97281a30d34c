/** Gives the page the theme that was chosen, or the system's, where the theme provider can't do it. */
export function applyTheme(): void {
  const chosen = readChoice();
  const isDark = chosen === "dark" || (chosen !== "light" && isSystemDark());
  document.documentElement.classList.toggle("dark", isDark);
}

const isSystemDark = () => window.matchMedia("(prefers-color-scheme: dark)").matches;

function readChoice(): string | null {
  try {
    return localStorage.getItem("theme");
  } catch {
    // A browser that keeps nothing has no choice either.
    return null;
  }
}
