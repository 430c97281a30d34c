import type { Page } from "playwright/test";
import { strings } from "../../../app/(demo)/_session/strings.en.ts";

/** Asks for a sign-in of an account on the landing page, by the button of a wallet. */
export async function askWallet(page: Page, name: string, button: string): Promise<void> {
  await page.goto("/");
  await page.getByRole("textbox", { name: strings.username }).fill(name);
  await page.getByRole("button", { name: button, exact: true }).click();
}
