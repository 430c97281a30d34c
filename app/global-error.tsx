"use client";

import { useEffect } from "react";
import { BrokenPage } from "./(demo)/_landing/broken-page.tsx";
import { readText } from "./(demo)/_ui/kept-text.ts";
import { directionOf, spoken } from "./(demo)/_ui/language.ts";
import "./globals.css";

/** Replaces everything if the frame of all pages itself failed, and needs no part of that frame. */
export default function GlobalError({ error }: { error: Error & { digest?: string } }) {
  useEffect(applyTheme, []);
  const { language } = spoken();
  return (
    <html lang={language} dir={directionOf[language]}>
      <body className="bg-canvas font-sans text-ink antialiased">
        <BrokenPage digest={error.digest} onRetry={() => window.location.reload()} />
      </body>
    </html>
  );
}

/** Applies the chosen theme, or the system's, because the theme provider is gone with the frame. */
function applyTheme(): void {
  const chosen = readText("theme");
  const isDark = chosen === "dark" || (chosen !== "light" && isSystemDark());
  document.documentElement.classList.toggle("dark", isDark);
}

const isSystemDark = () => window.matchMedia("(prefers-color-scheme: dark)").matches;
