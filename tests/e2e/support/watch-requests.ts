import { expect, type Page, type Request } from "playwright/test";

/** Tracks a page's requests. `toEnd` waits until every request has its answer. */
export function watchRequests(page: Page): { toEnd(): Promise<void> } {
  const open = new Set<Request>();
  page.on("request", (request) => open.add(request));
  page.on("requestfinished", (request) => open.delete(request));
  page.on("requestfailed", (request) => open.delete(request));
  return { toEnd: () => expect.poll(() => open.size).toBe(0) };
}
