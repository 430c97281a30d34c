import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright";

const places = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/google-chrome"];

/** Starts the system's Chromium without a window. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = places.find((place) => existsSync(place));
  if (!executablePath) throw new Error("Chromium is missing: install it (Debian: apt-get install chromium)");
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}
