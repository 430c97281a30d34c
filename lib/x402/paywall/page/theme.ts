import { readStored } from "./stored.ts";

/** Applies the theme chosen on other pages of this origin; without one, the page follows the system. */
export function applyTheme(): void {
  const theme = readStored("theme");
  if (theme === "dark" || theme === "light") document.documentElement.classList.add(theme);
}
