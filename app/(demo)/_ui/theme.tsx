"use client";

import { Monitor, Moon, Sun } from "lucide-react";
import { ThemeProvider as NextThemes, useTheme } from "next-themes";
import { type ReactNode, useSyncExternalStore } from "react";
import { IconButton } from "./icon-button.tsx";
import { strings } from "./strings.en.ts";

/** Light, dark or the system's choice, kept in the browser; the class is set before the first paint. */
export function ThemeProvider({ nonce, children }: { nonce: string | undefined; children: ReactNode }) {
  return (
    <NextThemes attribute="class" defaultTheme="system" enableSystem disableTransitionOnChange nonce={nonce}>
      {children}
    </NextThemes>
  );
}

const order = ["system", "light", "dark"] as const;
const icons = { system: Monitor, light: Sun, dark: Moon };
const never = () => () => {};

/** One button that steps through system, light and dark, and says which is on. */
export function ThemeSwitch() {
  const { theme, setTheme } = useTheme();
  // The server can't know the choice, so the first render shows the default.
  const isClient = useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
  const present = (isClient ? order.find((name) => name === theme) : undefined) ?? "system";
  const next = order[(order.indexOf(present) + 1) % order.length] ?? "system";
  const Icon = icons[present];
  return (
    <IconButton label={strings.theme.label(present, next)} onClick={() => setTheme(next)}>
      <Icon aria-hidden size={18} />
    </IconButton>
  );
}

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
