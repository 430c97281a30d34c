import type { Locator } from "playwright/test";

/** The position and size of an element on the page, in CSS pixels. */
export type Box = { x: number; y: number; width: number; height: number; right: number; bottom: number };

/**
 * Waits until an element is shown, and returns its box. @throws if it has none, so that no comparison passes
 * without one
 */
export async function boxOf(element: Locator): Promise<Box> {
  await element.waitFor();
  // A text's box changes by a pixel when its font arrives.
  await element.page().evaluate(() => document.fonts.ready.then(() => {}));
  const box = await element.boundingBox();
  if (!box) throw new Error(`${element} is not shown`);
  return { ...box, right: box.x + box.width, bottom: box.y + box.height };
}
