const KEY = "hivegate.density";

export type Density = "roomy" | "compact";

/** How close messages stand in this browser; one that keeps nothing has them roomy. */
export function readDensity(): Density {
  try {
    return localStorage.getItem(KEY) === "compact" ? "compact" : "roomy";
  } catch {
    return "roomy";
  }
}

/** Gives the page the density that was chosen. */
export function applyDensity(): void {
  document.documentElement.classList.toggle("compact", readDensity() === "compact");
}

/** Keeps a density for this browser, and gives it to the page. */
export function chooseDensity(density: Density): void {
  try {
    localStorage.setItem(KEY, density);
  } catch {
    // What can't be kept is not chosen; the page says so by staying as it is.
  }
  applyDensity();
}
