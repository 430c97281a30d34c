import { strings as ui } from "../../app/(demo)/_ui/strings.en.ts";
import { expect, test } from "./support/test.ts";

const canvas = "rgb(246, 244, 238)";
const darkCanvas = "rgb(20, 19, 15)";

test("the theme follows the system until the user chooses one, and the choice survives a reload", async ({
  page,
}) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto("/");
  const html = page.locator("html");
  await expect(html).toHaveCSS("background-color", darkCanvas);
  await page.emulateMedia({ colorScheme: "light" });
  await expect(html).toHaveCSS("background-color", canvas);

  await page.getByRole("button", { name: ui.theme.label("system", "light") }).click();
  await page.getByRole("button", { name: ui.theme.label("light", "dark") }).click();
  await expect(html).toHaveCSS("background-color", darkCanvas);
  await page.reload();
  await expect(html).toHaveCSS("background-color", darkCanvas);
  await page.getByRole("button", { name: ui.theme.label("dark", "system") }).click();
  await expect(html).toHaveCSS("background-color", canvas);
});

test("the home page has no transitions for readers who prefer reduced motion", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto("/");
  const longest = await page.evaluate(() =>
    Math.max(
      ...[...document.querySelectorAll("body, body *")].map((element) =>
        Number.parseFloat(getComputedStyle(element).transitionDuration),
      ),
    ),
  );
  expect(longest).toBeLessThanOrEqual(0.001);
});
