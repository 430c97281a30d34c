"use client";

import { Monitor, Moon, Sun } from "lucide-react";
import { ThemeProvider as NextThemes, useTheme } from "next-themes";
import { type ReactNode, useSyncExternalStore } from "react";
import { createKeptChoice } from "./external-store.ts";
import { IconButton } from "./icon-button.tsx";
import { strings } from "./strings.en.ts";

/** Light, dark or the system's choice, stored in the browser. The class is set before the first paint. */
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

/** A button that cycles through system, light and dark, and says which is active. */
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

type Density = "roomy" | "compact";

/** The spacing of messages in this browser. */
export const density = createKeptChoice<Density>("hivegate.density", "roomy", "compact");

function applyDensity(): void {
  document.documentElement.classList.toggle("compact", density.snapshot() === "compact");
}

/** Applies the chosen density to the page, and each later choice. Call the returned function to stop. */
export function followDensity(): () => void {
  applyDensity();
  return density.subscribe(applyDensity);
}
