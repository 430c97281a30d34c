"use client";

import { useEffect } from "react";
import { BrokenPage } from "./(demo)/_landing/broken-page.tsx";
import { readText } from "./(demo)/_ui/kept-text.ts";
import { directionOf, spoken } from "./(demo)/_ui/language.ts";
import "./globals.css";

/** Stands in for everything when the frame of all pages itself failed; needs nothing of that frame. */
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

/** Gives the page the theme that was chosen, or the system's: the theme provider went with the frame. */
function applyTheme(): void {
  const chosen = readText("theme");
  const isDark = chosen === "dark" || (chosen !== "light" && isSystemDark());
  document.documentElement.classList.toggle("dark", isDark);
}

const isSystemDark = () => window.matchMedia("(prefers-color-scheme: dark)").matches;
