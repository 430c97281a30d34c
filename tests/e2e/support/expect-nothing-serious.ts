import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "playwright/test";

/** Lets axe look at a page as it is now; `where` names it in what a failure tells. */
export async function expectNothingSerious(page: Page, where: string) {
  // Whatever fades in has its final colours afterwards.
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)));
  const { violations } = await new AxeBuilder({ page }).analyze();
  const serious = violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${where}: ${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
  expect(serious).toEqual([]);
}
