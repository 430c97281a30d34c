import type { Page } from "playwright/test";

/** Holds every script that a page has not loaded yet until the returned function is called. */
export async function holdScripts(page: Page): Promise<() => void> {
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/_next/static/chunks/*.js*", async (route) => {
    await isReleased;
    await route.continue();
  });
  return release;
}
