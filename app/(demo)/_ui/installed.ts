import { useSyncExternalStore } from "react";
import { createListeners } from "./external-store.ts";
import { directionOf, type Language } from "./language.ts";
import { strings } from "./strings.en.ts";

/** What Chromium tells a page that may be installed (the type stands in no library of TypeScript). */
type InstallOffer = Event & { prompt(): Promise<{ outcome: "accepted" | "dismissed" }> };

export type Installation = "installed" | "offered" | "unknown";

let offer: InstallOffer | null = null;
const { subscribe, tell } = createListeners();

function take(next: InstallOffer | null): void {
  offer = next;
  tell();
}

if (typeof window !== "undefined") {
  window.addEventListener("beforeinstallprompt", (event) => {
    // The browser's own bar would ask at once; here it is asked in the settings.
    event.preventDefault();
    take(event as InstallOffer);
  });
  window.addEventListener("appinstalled", () => take(null));
}

function installation(): Installation {
  if (window.matchMedia("(display-mode: standalone)").matches) return "installed";
  return offer ? "offered" : "unknown";
}

/** Whether the pages run as an app, or can be made one by a press; unknown where the browser keeps that to itself. */
export const useInstallation = (): Installation =>
  useSyncExternalStore(subscribe, installation, () => "unknown");

/** Has the browser ask whether to install; it does so once for each offer. */
export async function install(): Promise<void> {
  const asked = offer;
  take(null);
  await asked?.prompt();
}

/** Puts a number on the icon of the installed app, where the browser has one: it stays when the page goes; 0 takes it away. */
export function showBadge(count: number): void {
  if (!("setAppBadge" in navigator)) return;
  // Refused where nothing is installed.
  navigator.setAppBadge(count).catch(() => {});
}

/**
 * Registers the worker of a build and tells it in what words the server is out of reach: those of the page, which is in
 * `language`. The build "" keeps no scripts.
 */
export async function serveOffline(build: string, language: Language): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  try {
    await navigator.serviceWorker.register(`/sw.js?build=${encodeURIComponent(build)}`);
    const { active } = await navigator.serviceWorker.ready;
    const theme = localStorage.getItem("theme") ?? "system";
    active?.postMessage({ lang: language, dir: directionOf[language], theme, ...strings.offline });
  } catch {
    // Without a worker, or without storage, the browser has a page of its own for this.
  }
}
