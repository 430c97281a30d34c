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

/** The rules that depend on the theme. Only they run in the dark theme; in the light one, every rule runs. */
const colourRules = ["color-contrast", "link-in-text-block"];

/**
 * Rules about how screen reader users tell pages apart, which count as errors whatever weight axe gives them.
 */
const landmark = /^(region|landmark-.*|page-has-heading-one|heading-order|empty-heading)$/;

/** Requirements of AA, which count as errors whatever weight axe gives them. */
const AA = /^wcag2[12]?aa?$/;

/** Checks the page that it runs in, which must have loaded axe before. */
async function look(only: string[]) {
  if (!window.axe) return;
  // Fading elements finish in their final colours. Animations out of view never end, and endless ones can't
  // be finished.
  for (const animation of document.getAnimations())
    if (animation.effect?.getComputedTiming().endTime !== Infinity) animation.finish();
  const isDark = getComputedStyle(document.documentElement).colorScheme === "dark";
  const { violations } = await window.axe.run({
    resultTypes: ["violations"],
    // In the light theme, every rule runs, with `target-size`, which axe leaves out by default.
    ...(isDark ? { runOnly: only } : { rules: { "target-size": { enabled: true } } }),
  });
  return violations.map(({ id, impact, tags, nodes }) => ({
    id,
    impact,
    tags,
    html: nodes.map((node) => node.html.slice(0, 160)),
  }));
}

/** Runs axe on the current page. `where` names the page in a failure. */
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

/**
 * Runs axe in the light and the dark theme on a page that follows the system's theme, and leaves it in light.
 */
export async function expectNothingSeriousInBothThemes(page: Page, where: string) {
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    await expect(page.locator("html")).toHaveCSS("color-scheme", new RegExp(colorScheme));
    await expectNothingSerious(page, `${where}, ${colorScheme}`);
  }
}
