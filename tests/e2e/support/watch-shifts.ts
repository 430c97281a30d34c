import { expect, type Locator, type Page } from "playwright/test";

/** An entry of the browser's Layout Instability API, which TypeScript does not describe. */
type Shift = PerformanceEntry & {
  value: number;
  sources: ReadonlyArray<{ node: Node | null; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly }>;
};
type Watching = typeof globalThis & { shifts: string[] };

/**
 * Runs in each page before its scripts, and records everything that moves on its own. Elements that appear, grow
 * or disappear have not moved.
 */
function recordShifts() {
  const shifts: string[] = [];
  (globalThis as Watching).shifts = shifts;
  const nameOf = (node: Node | null): string => {
    if (!(node instanceof Element))
      return node?.parentElement ? nameOf(node.parentElement) : "a removed node";
    return `${node.localName} "${node.textContent?.slice(0, 40)}"`;
  };
  const placeOf = ({ x, y, width, height }: DOMRectReadOnly) =>
    [x, y, width, height].map(Math.round).join(" ");
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries() as Shift[])
      for (const { node, previousRect, currentRect } of value > 0 ? sources : [])
        shifts.push(`${nameOf(node)} from ${placeOf(previousRect)} to ${placeOf(currentRect)}`);
  }).observe({ type: "layout-shift", buffered: true });
}

/**
 * Opens a path, and returns everything that moved until `shown` was there and the page was at rest. Fonts and the
 * gateway's answers come only once the page has been painted without them.
 */
export async function openWatched(page: Page, path: string, shown: Locator): Promise<string[]> {
  let release = () => {};
  const isPainted = new Promise<void>((resolve) => {
    release = resolve;
  });
  for (const late of ["**/*.woff2", "**/api/**"])
    await page.route(late, async (route) => {
      await isPainted;
      await route.continue();
    });
  await page.addInitScript(recordShifts);
  await page.goto(path, { waitUntil: "commit" });
  await page.waitForFunction(() => performance.getEntriesByType("paint").length > 0);
  release();
  await expect(shown).toBeVisible();
  await page.waitForLoadState("networkidle");
  return page.evaluate(async () => {
    await document.fonts.ready;
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
    return (globalThis as Watching).shifts;
  });
}
