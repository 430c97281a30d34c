"use client";

import { Monitor, Moon, Sun } from "lucide-react";
import { useTheme } from "next-themes";
import { useSyncExternalStore } from "react";
import { IconButton } from "./icon-button.tsx";
import { strings } from "./strings.en.ts";

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
