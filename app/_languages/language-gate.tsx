"use client";

import { useRouter } from "next/navigation";
import { type ReactNode, startTransition, use, useEffect } from "react";
import { followLanguage, useLanguage } from "../(demo)/_ui/choose-language.ts";
import { loadTexts, provideTexts } from "../(demo)/_ui/language.ts";

provideTexts("es", () => import("./es/index.ts").then(({ texts }) => texts));

/** Holds the page back until the texts of its language are there, and renders all of it again after each change. */
export function LanguageGate({ children }: { children: ReactNode }) {
  const loading = loadTexts(useLanguage());
  if (loading !== null) use(loading);
  const { refresh } = useRouter();
  // What the server made has new texts too; what was typed stays, as nothing is made anew.
  useEffect(() => followLanguage(() => startTransition(refresh)), [refresh]);
  return children;
}
