"use client";

import { useEffect } from "react";
import { BrokenPage } from "./(demo)/_landing/broken-page.tsx";
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
