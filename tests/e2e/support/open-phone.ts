import type { Browser } from "playwright/test";

/** The screen of a phone, which fingers touch. */
export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** Opens a window of a phone, whose context is its own. */
export async function openPhone(browser: Browser, baseURL: string) {
  const permissions = ["clipboard-read", "clipboard-write"];
  const context = await browser.newContext({ baseURL, ...phone, permissions });
  return { context, page: await context.newPage() };
}
