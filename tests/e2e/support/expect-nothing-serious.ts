import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "playwright/test";

/** What depends on the theme: all else is the same page in light, which all rules look at. */
const colourRules = ["color-contrast", "link-in-text-block"];

/** How a page is told apart by ear: never wrong by half, whatever axe thinks of their weight. */
const landmark = /^(region|landmark-.*|page-has-heading-one|heading-order|empty-heading)$/;

/** What AA asks for, whatever axe thinks of its weight. */
const AA = /^wcag2[12]?aa?$/;

/** Those of what is out of view never end by themselves, and endless ones can't be ended. */
function finishAnimations() {
  for (const animation of document.getAnimations())
    if (animation.effect?.getComputedTiming().endTime !== Infinity) animation.finish();
}

/** Lets axe look at a page as it is now, but for what fits a selector of `except`; `where` names it in what a failure tells. */
export async function expectNothingSerious(page: Page, where: string, except: string[] = []) {
  // Whatever fades in has its final colours afterwards.
  await page.evaluate(finishAnimations);
  const isDark = await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme === "dark");
  // Without frames to look into, axe needs no second page to put its findings together.
  const axe = new AxeBuilder({ page }).setLegacyMode();
  for (const selector of except) axe.exclude(selector);
  if (isDark) axe.withRules(colourRules);
  // The one rule of WCAG 2.2, which axe leaves out unasked.
  else axe.options({ rules: { "target-size": { enabled: true } } });
  const { violations } = await axe.analyze();
  const serious = violations
    .filter(
      ({ id, impact, tags }) =>
        impact === "serious" ||
        impact === "critical" ||
        landmark.test(id) ||
        tags.some((tag) => AA.test(tag)),
    )
    .map(({ id, nodes }) => `${where}: ${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
  expect(serious).toEqual([]);
}

/** The same in the light theme and in the dark one, for a page that follows the system's; it is left in light. */
export async function expectNothingSeriousInBothThemes(page: Page, where: string, except: string[] = []) {
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    await expect(page.locator("html")).toHaveCSS("color-scheme", new RegExp(colorScheme));
    await expectNothingSerious(page, `${where}, ${colorScheme}`, except);
  }
}
