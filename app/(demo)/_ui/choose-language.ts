import { useSyncExternalStore } from "react";
import { createListeners } from "./external-store.ts";
import { directionOf, type Language, languages, loadTexts, speak, spoken, spokenBy } from "./language.ts";

const { subscribe, tell } = createListeners();

const languageNow = () => spoken().language;

/** Returns the page's language, for components that would otherwise not render again (`memo`, effects). */
export const useLanguage = (): Language => useSyncExternalStore(subscribe, languageNow, languageNow);

const NAME = "hivegate-language";
const KEPT_SECONDS = 31_536_000;

/** Returns the language chosen on this device, or null while the pages follow the browser. */
export function chosenLanguage(): Language | null {
  return languages.find((name) => document.cookie.split("; ").includes(`${NAME}=${name}`)) ?? null;
}

/**
 * Stores a choice on this device, where the server can read it too, and applies it to all open pages; null
 * follows the browser.
 */
export async function chooseLanguage(choice: Language | null): Promise<void> {
  const secure = window.location.protocol === "https:" ? "; secure" : "";
  // biome-ignore lint/suspicious/noDocumentCookie: not every browser has the Cookie Store
  document.cookie = `${NAME}=${choice ?? ""}; path=/; max-age=${choice ? KEPT_SECONDS : 0}; samesite=lax${secure}`;
  const others = new BroadcastChannel(NAME);
  others.postMessage(choice);
  others.close();
  await follow(choice);
}

async function follow(choice: Language | null): Promise<void> {
  const next = spokenBy({ choice: choice ?? undefined, preferred: navigator.languages });
  if (next.language === spoken().language) return;
  await loadTexts(next.language);
  speak(next);
  document.documentElement.lang = next.language;
  document.documentElement.dir = directionOf[next.language];
  tell();
}

/**
 * Follows choices made on any page of this browser, and calls back after each change. Call the returned
 * function to stop.
 */
export function followLanguage(onChange: () => void): () => void {
  const news = new BroadcastChannel(NAME);
  // The cookie of another page may still be on its way, so the message contains the choice.
  const hear = ({ data }: MessageEvent<Language | null>) => void follow(data);
  const look = () => void follow(chosenLanguage());
  news.addEventListener("message", hear);
  // A suspended page receives no messages.
  window.addEventListener("pageshow", look);
  const end = subscribe(onChange);
  return () => {
    news.close();
    window.removeEventListener("pageshow", look);
    end();
  };
}
