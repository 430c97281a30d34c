"use client";

import { GeistSans } from "geist/font/sans";
import { useEffect } from "react";
import { BrokenPage } from "./(demo)/_landing/broken-page.tsx";
import { applyTheme } from "./(demo)/_ui/apply-theme.ts";
import { directionOf, spoken } from "./(demo)/_ui/language.ts";
import "./globals.css";

/** Stands in for everything when the frame of all pages itself failed; needs nothing of that frame. */
export default function GlobalError({ error }: { error: Error & { digest?: string } }) {
  useEffect(applyTheme, []);
  const { language } = spoken();
  return (
    <html lang={language} dir={directionOf[language]} className={GeistSans.variable}>
      <body className="bg-canvas font-sans text-ink antialiased">
        <BrokenPage digest={error.digest} onRetry={() => window.location.reload()} />
      </body>
    </html>
  );
}
