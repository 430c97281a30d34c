import { useSyncExternalStore } from "react";
import { createListeners } from "./external-store.ts";
import { readText } from "./kept-text.ts";
import { directionOf, type Language } from "./language.ts";
import { strings } from "./strings.en.ts";

/** Chromium's event for a page that can be installed, which TypeScript's libraries do not declare. */
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
    // The browser would offer the installation immediately; here the user finds it in the settings.
    event.preventDefault();
    take(event as InstallOffer);
  });
  window.addEventListener("appinstalled", () => take(null));
}

function installation(): Installation {
  if (window.matchMedia("(display-mode: standalone)").matches) return "installed";
  return offer ? "offered" : "unknown";
}

/** Returns whether the pages run as an app, or can be installed; unknown if the browser does not say. */
export const useInstallation = (): Installation =>
  useSyncExternalStore(subscribe, installation, () => "unknown");

/** Makes the browser ask whether to install the app, which it does once per offer. */
export async function install(): Promise<void> {
  const asked = offer;
  take(null);
  await asked?.prompt();
}

/**
 * Sets the number on the icon of the installed app, if the browser supports it. The number stays after the
 * page is closed; 0 removes it.
 */
export function showBadge(count: number): void {
  if (!("setAppBadge" in navigator)) return;
  // Fails if the app is not installed.
  navigator.setAppBadge(count).catch(() => {});
}

/**
 * Registers the worker of a build, with the texts by which it reports an unreachable server, in the page's
 * `language`. The build "" stores no scripts.
 */
export async function serveOffline(build: string, language: Language): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  try {
    await navigator.serviceWorker.register(`/sw.js?build=${encodeURIComponent(build)}`);
    const { active } = await navigator.serviceWorker.ready;
    const theme = readText("theme") ?? "system";
    active?.postMessage({ lang: language, dir: directionOf[language], theme, ...strings.offline });
  } catch {
    // Without a worker, the browser shows its own page while the server is unreachable.
  }
}
