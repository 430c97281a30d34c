import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { default as Axe } from "axe-core";
import { expect, type Page } from "playwright/test";

declare global {
  interface Window {
    axe?: typeof Axe;
  }
}

const source = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** What depends on the theme: all else is the same page in light, which all rules look at. */
const colourRules = ["color-contrast", "link-in-text-block"];

/** How a page is told apart by ear: never wrong by half, whatever axe thinks of their weight. */
const landmark = /^(region|landmark-.*|page-has-heading-one|heading-order|empty-heading)$/;

/** What AA asks for, whatever axe thinks of its weight. */
const AA = /^wcag2[12]?aa?$/;

/** Looks at the page that it runs in; only a page that was looked at before has axe. */
async function look(only: string[]) {
  if (!window.axe) return;
  // Whatever fades in has its final colours afterwards. What is out of view never ends by itself; the endless can't be ended.
  for (const animation of document.getAnimations())
    if (animation.effect?.getComputedTiming().endTime !== Infinity) animation.finish();
  const isDark = getComputedStyle(document.documentElement).colorScheme === "dark";
  const { violations } = await window.axe.run({
    resultTypes: ["violations"],
    // The one rule of WCAG 2.2 is left out unasked.
    ...(isDark ? { runOnly: only } : { rules: { "target-size": { enabled: true } } }),
  });
  return violations.map(({ id, impact, tags, nodes }) => ({
    id,
    impact,
    tags,
    html: nodes.map((node) => node.html.slice(0, 160)),
  }));
}

/** Lets axe look at a page as it is now; `where` names it in what a failure tells. */
export async function expectNothingSerious(page: Page, where: string) {
  let found = await page.evaluate(look, colourRules);
  if (!found) {
    await page.evaluate(source);
    found = await page.evaluate(look, colourRules);
  }
  if (!found) throw new Error(`${where}: axe is not on the page`);
  const serious = found
    .filter(
      ({ id, impact, tags }) =>
        impact === "serious" ||
        impact === "critical" ||
        landmark.test(id) ||
        tags.some((tag) => AA.test(tag)),
    )
    .map(({ id, html }) => `${where}: ${id}: ${html.join(" | ")}`);
  expect(serious).toEqual([]);
}

/** The same in the light theme and in the dark one, for a page that follows the system's; it is left in light. */
export async function expectNothingSeriousInBothThemes(page: Page, where: string) {
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    await expect(page.locator("html")).toHaveCSS("color-scheme", new RegExp(colorScheme));
    await expectNothingSerious(page, `${where}, ${colorScheme}`);
  }
}
