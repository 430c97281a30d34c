"use client";

import { useRouter } from "next/navigation";
import { type ReactNode, startTransition, use, useEffect } from "react";
import { followLanguage, useLanguage } from "../(demo)/_ui/choose-language.ts";
import { type Language, loadTexts, provideTexts } from "../(demo)/_ui/language.ts";

provideTexts("es", () => import("./es/index.ts").then(({ texts }) => texts));

/**
 * Holds the page back until the texts of its language have loaded, and renders it again after each change.
 */
export function LanguageGate({ build, children }: { build: string; children: ReactNode }) {
  const language = useLanguage();
  const { refresh } = useRouter();
  // Server-rendered parts get new texts too. Typed text stays, because nothing is mounted again.
  useEffect(() => followLanguage(() => startTransition(refresh)), [refresh]);
  useEffect(() => {
    // No visible part waits for the service worker, so its code is not part of the first load.
    void import("../(demo)/_ui/installed.ts").then(({ serveOffline }) => serveOffline(build, language));
  }, [build, language]);
  return <Spoken language={language}>{children}</Spoken>;
}

/** A separate component, because React miscounts the hooks of a component that suspends while it hydrates. */
function Spoken({ language, children }: { language: Language; children: ReactNode }) {
  const loading = loadTexts(language);
  if (loading !== null) use(loading);
  return children;
}
