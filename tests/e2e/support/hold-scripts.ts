import type { Page } from "playwright/test";

/** Has a page wait for every script that it did not load yet, until the function is called that this gives. */
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
