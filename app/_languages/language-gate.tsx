"use client";

import { useRouter } from "next/navigation";
import { type ReactNode, startTransition, use, useEffect } from "react";
import { followLanguage, useLanguage } from "../(demo)/_ui/choose-language.ts";
import { type Language, loadTexts, provideTexts } from "../(demo)/_ui/language.ts";

provideTexts("es", () => import("./es/index.ts").then(({ texts }) => texts));

/** Holds the page back until the texts of its language are there, and renders all of it again after each change. */
export function LanguageGate({ build, children }: { build: string; children: ReactNode }) {
  const language = useLanguage();
  const { refresh } = useRouter();
  // Server-rendered parts have new texts too; typed text stays, because nothing is mounted again.
  useEffect(() => followLanguage(() => startTransition(refresh)), [refresh]);
  useEffect(() => {
    // Nothing that is seen waits for it, so it is not part of the first load.
    void import("../(demo)/_ui/installed.ts").then(({ serveOffline }) => serveOffline(build, language));
  }, [build, language]);
  return <Spoken language={language}>{children}</Spoken>;
}

/** Its own component, because React loses count of the hooks of one that waits while it hydrates. */
function Spoken({ language, children }: { language: Language; children: ReactNode }) {
  const loading = loadTexts(language);
  if (loading !== null) use(loading);
  return children;
}
